import { EventSourceParserStream } from 'eventsource-parser/stream';
import { onTestFinished } from 'vitest';
import { GasCurrent } from '../../src/contract/gas.ts';

/** Reads a response of `gas/stream`, event by event; it is closed with the test. */
export function eventsOf({ body }: Response) {
  if (body === null) throw new Error('no stream');
  const reader = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  const close = () => reader.cancel().catch(() => {});
  onTestFinished(close);
  /** The next event; `null` at the end. */
  const next = async () => {
    const { value } = await reader.read();
    return value === undefined ? null : { id: value.id, data: GasCurrent.parse(JSON.parse(value.data)) };
  };
  /** The first event from now on that says so. */
  const until = async (says: (data: GasCurrent) => boolean | Promise<boolean>) => {
    for (;;) {
      const event = await next();
      if (event === null) throw new Error('the stream ended');
      if (await says(event.data)) return event;
    }
  };
  return { next, until, close };
}
