import { expect, it } from 'vitest';
import { createGasClient } from '../../src/client/client.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { runService } from '../helpers/service.ts';

it('a long list of a real service is read whole, newest first', async () => {
  const service = await runService({ source: new ScriptedSource(makeBlocks(0, 20)) });
  const client = createGasClient({ url: 'http://gastop.internal', fetch: service.fetch });
  const rule = { thresholdGwei: 1e-9, gasSpeed: 'AVERAGE', condition: 'LESS_THAN', channels: ['TERMINAL'] };
  const made = new Set<string>();
  for (let count = 0; count < 520; count += 1) made.add((await client.createAlert(rule)).id);
  const { items, total, unreadable } = await client.alerts();
  expect({ total, unreadable }).toEqual({ total: 520, unreadable: 0 });
  expect(new Set(items.map(({ id }) => id))).toEqual(made);
  const times = items.map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted().toReversed());
});
