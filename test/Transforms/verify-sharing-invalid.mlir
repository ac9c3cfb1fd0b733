// RUN: qbackend-opt %s --qbackend-verify-sharing -split-input-file -verify-diagnostics

!t = tensor<1x4xf32>
#q = #qbackend.qconfig<activation = <min_max, ui8>, weight = <min_max, si8>>
#shared = #qbackend.quantized<pattern = <relu>, dtypes = <input = <ui8>>, observation = output_share_observer_with_input>
qbackend.observer @a <min_max, ui8>
qbackend.observer @b <min_max, ui8>
func.func @two_observers(%x: !t) -> !t {
  // expected-note @+1 {{the input is observed here}}
  %0 = qbackend.observe %x by @a : !t
  // expected-error @+1 {{shares the observer of its input by its pattern, but its result is observed by @b and its input 0 by @a; one observer is expected}}
  %1 = qbackend.operator [#qbackend.relu] inputs(%0) qconfig #q decision(#shared) : (!t) -> !t {
  ^bb0(%i: !t):
    qbackend.yield %i : !t
  }
  %2 = qbackend.observe %1 by @b : !t
  return %2 : !t
}

// -----

!t = tensor<1x4xf32>
!u = tensor<1x8xf32>
#q = #qbackend.qconfig<activation = <min_max, ui8>, weight = <min_max, si8>>
#shared = #qbackend.quantized<pattern = <cat>, dtypes = <input = <ui8>>, observation = output_share_observer_with_input>
qbackend.observer @a <min_max, ui8>
func.func @input_not_observed(%x: !t, %y: !t) -> !u {
  %0 = qbackend.observe %x by @a : !t
  // expected-error @+1 {{its result is observed by @a and its input 1 by nothing}}
  %1 = qbackend.operator [#qbackend.cat<axis = 1>] inputs(%0, %y) qconfig #q decision(#shared) : (!t, !t) -> !u {
  ^bb0(%i: !t, %j: !t):
    %e = tensor.empty() : !u
    qbackend.yield %e : !u
  }
  %2 = qbackend.observe %1 by @a : !u
  return %2 : !u
}

// -----

!t = tensor<1x4xf32>
#q = #qbackend.qconfig<activation = <min_max, ui8>, weight = <min_max, si8>>
#shared = #qbackend.quantized<pattern = <relu>, dtypes = <input = <ui8>>, observation = output_share_observer_with_input>
qbackend.observer @a <min_max, ui8>
func.func @result_not_observed(%x: !t) -> !t {
  %0 = qbackend.observe %x by @a : !t
  // expected-error @+1 {{shares the observer of its input by its pattern, but its result is not observed}}
  %1 = qbackend.operator [#qbackend.relu] inputs(%0) qconfig #q decision(#shared) : (!t) -> !t {
  ^bb0(%i: !t):
    qbackend.yield %i : !t
  }
  return %1 : !t
}

module attributes {} {
}
