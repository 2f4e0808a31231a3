/** Why nothing can be sent to what the prices come from, `a recording takes no transactions`; `null`: something can. */
export function takesNone(kind: 'rpc' | 'replay' | 'simulated' | 'service'): string | null {
  if (kind === 'replay') return 'a recording takes no transactions';
  return kind === 'simulated' ? 'the simulated chain takes no transactions' : null;
}
