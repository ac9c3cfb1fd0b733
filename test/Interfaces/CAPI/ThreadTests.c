/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls from several threads at once: on one model, and each with a context of
 * its own. Each gives what it gives alone.
 *
 * usage: ThreadTests linear.mlir
 */

/* For clock_gettime. */
#define _POSIX_C_SOURCE 200809L

#include "Check.h"

#include "qbackend-c/QBackend.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { numThreads = 4, numRounds = 3, numSamples = 64 };

static QBackendText network;
static float samples[numSamples][4];
static const int64_t samplesShape[] = {numSamples, 4};
static QBackendModel *shared;

/* What one thread got. */
typedef struct {
  float results[numSamples][2];
  char *description, *quantized, *table;
  int failures;
} Answers;

static void expect(Answers *answers, int condition) {
  answers->failures += !condition;
}

static void runShared(Answers *answers) {
  QBackendArray all = {QBACKEND_F32, samplesShape, 2, samples};
  QBackendResults *results = NULL;
  QBackendRunOptions options;
  memset(&options, 0, sizeof(options));
  options.threads = 2;
  expect(answers, qbackendModelRun(shared, &all, 1, &options, &results, NULL,
                                   NULL) == QBACKEND_SUCCESS);
  if (results)
    memcpy(answers->results, qbackendResultsGet(results, 0).data,
           sizeof(answers->results));
  qbackendResultsDestroy(results);
  qbackendFree(answers->description);
  expect(answers, qbackendModelDescribe(shared, &answers->description, NULL,
                                        NULL) == QBACKEND_SUCCESS);
}

static void applyBackend(Answers *answers) {
  const QBackendText nothing = {NULL, 0};
  qbackendFree(answers->quantized);
  expect(answers,
         qbackendApplyBackend(
             network, nothing, qbackendText("backend=qnnpack samples=2"),
             &answers->quantized, NULL, NULL) == QBACKEND_SUCCESS);
}

static void calibrate(Answers *answers) {
  QBackendArray all = {QBACKEND_F32, samplesShape, 2, samples};
  QBackendCalibrationOptions options;
  QBackendCalibration *calibration = NULL;
  memset(&options, 0, sizeof(options));
  options.threads = 3;
  options.batchSize = 4;
  expect(answers, qbackendCalibrationCreate(shared, &options, &calibration,
                                            NULL, NULL) == QBACKEND_SUCCESS);
  expect(answers, qbackendCalibrationAdd(calibration, &all, 1, NULL, NULL, NULL,
                                         NULL) == QBACKEND_SUCCESS);
  qbackendFree(answers->table);
  expect(answers, qbackendCalibrationToTable(calibration, &answers->table, NULL,
                                             NULL) == QBACKEND_SUCCESS);
  qbackendCalibrationDestroy(calibration);
}

/* Where two calibrations meet, each in its run. */
static pthread_mutex_t meetingMutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t meetingChanged = PTHREAD_COND_INITIALIZER;
static int numMet;

/* Asked before each chunk of samples: waits for the other one, once. Stops the
 * run if that doesn't come: it would have to wait for this one. */
static int meet(void *hasMet) {
  struct timespec end;
  int late = 0;
  if (*(int *)hasMet)
    return 0;
  *(int *)hasMet = 1;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 60;
  pthread_mutex_lock(&meetingMutex);
  ++numMet;
  pthread_cond_broadcast(&meetingChanged);
  while (numMet < 2 && !late)
    late = pthread_cond_timedwait(&meetingChanged, &meetingMutex, &end);
  pthread_mutex_unlock(&meetingMutex);
  return late;
}

static void *calibrateAtOnce(void *data) {
  Answers *answers = data;
  QBackendArray all = {QBACKEND_F32, samplesShape, 2, samples};
  QBackendCalibrationOptions options;
  QBackendCalibration *calibration = NULL;
  int hasMet = 0;
  memset(&options, 0, sizeof(options));
  options.threads = 1;
  options.batchSize = 4;
  expect(answers, qbackendCalibrationCreate(shared, &options, &calibration,
                                            NULL, NULL) == QBACKEND_SUCCESS);
  expect(answers, qbackendCalibrationAdd(calibration, &all, 1, meet, &hasMet,
                                         NULL, NULL) == QBACKEND_SUCCESS);
  expect(answers, qbackendCalibrationToTable(calibration, &answers->table, NULL,
                                             NULL) == QBACKEND_SUCCESS);
  qbackendCalibrationDestroy(calibration);
  return NULL;
}

static void *work(void *answers) {
  int i;
  for (i = 0; i < numRounds; ++i) {
    runShared(answers);
    applyBackend(answers);
    calibrate(answers);
  }
  return NULL;
}

static char *readFile(const char *name, size_t *length) {
  static char text[100000];
  FILE *file = fopen(name, "rb");
  *length = file ? fread(text, 1, sizeof(text), file) : 0;
  if (file)
    fclose(file);
  return text;
}

int main(int argc, char **argv) {
  static Answers alone, together[numThreads], atOnce[2];
  pthread_t threads[numThreads];
  const QBackendText nothing = {NULL, 0};
  int i, j;
  if (argc != 2)
    return 2;
  network.data = readFile(argv[1], &network.length);
  for (i = 0; i < numSamples; ++i)
    for (j = 0; j < 4; ++j)
      samples[i][j] = (float)((i * 7 + j * 3) % 64) / 32 - 1;
  CHECK(qbackendModelLoad(network, nothing, nothing, &shared, NULL, NULL) ==
        QBACKEND_SUCCESS);
  work(&alone);
  CHECK(alone.failures == 0);
  CHECK(alone.table && strstr(alone.table, "x"));
  endGroup("alone");

  for (i = 0; i < numThreads; ++i)
    CHECK(pthread_create(&threads[i], NULL, work, &together[i]) == 0);
  for (i = 0; i < numThreads; ++i)
    CHECK(pthread_join(threads[i], NULL) == 0);
  for (i = 0; i < numThreads; ++i) {
    CHECK(together[i].failures == 0);
    CHECK(!memcmp(together[i].results, alone.results, sizeof(alone.results)));
    CHECK(!strcmp(together[i].description, alone.description));
    CHECK(!strcmp(together[i].quantized, alone.quantized));
    CHECK(!strcmp(together[i].table, alone.table));
    qbackendFree(together[i].description);
    qbackendFree(together[i].quantized);
    qbackendFree(together[i].table);
  }
  endGroup("together");

  for (i = 0; i < 2; ++i)
    CHECK(pthread_create(&threads[i], NULL, calibrateAtOnce, &atOnce[i]) == 0);
  for (i = 0; i < 2; ++i) {
    CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(atOnce[i].failures == 0);
    CHECK(atOnce[i].table && !strcmp(atOnce[i].table, alone.table));
    qbackendFree(atOnce[i].table);
  }
  endGroup("at once");
  qbackendFree(alone.description);
  qbackendFree(alone.quantized);
  qbackendFree(alone.table);
  qbackendModelDestroy(shared);
  printf("%d failures\n", failures);
  return failures != 0;
}
