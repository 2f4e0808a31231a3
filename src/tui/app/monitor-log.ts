import { ClientError } from '../../client/errors.ts';
import type { GasClient } from '../../client/gas-client.ts';

/** What the monitor does, for who works on it; nothing that was typed, and nothing of a request but its name. */
type MonitorEvent =
  | { readonly type: 'request'; readonly name: string; readonly ms: number; readonly outcome: string }
  /** `ms`: how long Ink took to draw it. */
  | { readonly type: 'frame'; readonly ms: number }
  | { readonly type: 'state'; readonly tab: string; readonly status: string; readonly head: number | null };

export type MonitorLog = (event: MonitorEvent) => void;

/** The same client, of which each request is logged when it ends. Streams are logged when they open. */
export function loggedClient(client: GasClient, log: MonitorLog): GasClient {
  return new Proxy(client, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function' || typeof name !== 'string') return value;
      return (...args: unknown[]): unknown => {
        const began = performance.now();
        const end = (outcome: string) =>
          log({ type: 'request', name, ms: Math.round(performance.now() - began), outcome });
        const result: unknown = Reflect.apply(value, target, args);
        if (result instanceof Promise)
          result.then(
            () => end('ok'),
            (error: unknown) => end(outcomeOf(error)),
          );
        else end('open');
        return result;
      };
    },
  });
}

/** A word: messages of a service may repeat what was sent to it. */
function outcomeOf(error: unknown): string {
  if (error instanceof ClientError) return error.code;
  return error instanceof Error && error.name === 'AbortError' ? 'aborted' : 'failed';
}
