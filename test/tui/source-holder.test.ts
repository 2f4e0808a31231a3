import { describe, expect, it } from 'vitest';
import { type MonitorSource, SourceHolder } from '../../src/tui/app/source.ts';
import { fakeGas } from './fake-gas.ts';

describe('the holder of the source', () => {
  const source = (name: string, log: string[]): MonitorSource => ({
    client: fakeGas(),
    chainName: name,
    close: () => {
      log.push(`closed ${name}`);
    },
  });

  it('closes one source before it opens the next, and the last at the end', async () => {
    const log: string[] = [];
    const holder = new SourceHolder();
    await holder.open(async () => source('one', log));
    await holder.open(async () => {
      log.push('opening two');
      return source('two', log);
    });
    await holder.end();
    expect(log).toEqual(['closed one', 'opening two', 'closed two']);
  });

  it('closes a source that came too late', async () => {
    const log: string[] = [];
    const holder = new SourceHolder();
    const late = Promise.withResolvers<MonitorSource>();
    const first = holder.open(() => late.promise);
    await holder.open(async () => source('second', log));
    late.resolve(source('first', log));
    await first;
    await holder.end();
    expect(log.sort()).toEqual(['closed first', 'closed second']);
  });
});
