/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <qbackend-c/QBackend.h>

#include <stdio.h>

static void hear(const QBackendDiagnostic *diagnostic, void *user) {
  (void)user;
  fprintf(stderr, "%s\n", diagnostic->message);
}

/* Prints what becomes of the file of at most 4,095 bytes. */
int main(int argc, char **argv) {
  static char text[4096];
  const QBackendText none = {NULL, 0};
  QBackendText module = {text, 0};
  char *output = NULL;
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!file)
    return 2;
  module.length = fread(text, 1, sizeof(text) - 1, file);
  fclose(file);
  if (qbackendApplyBackend(module, none,
                           qbackendText("backend=qnnpack calibration=ranges"),
                           &output, hear, NULL) == QBACKEND_FAILURE)
    return 1;
  puts(output);
  qbackendFree(output);
  return 0;
}
