import { expect, test } from 'vitest';
import { BASE_PATH, PATHS } from '../../src/contract/routes.ts';
import { FeeEngine } from '../../src/core/fee-engine.ts';
import { Follower } from '../../src/service/follower.ts';
import { createApp } from '../../src/service/http/app.ts';
import { ServiceState } from '../../src/service/http/service-state.ts';
import { createOpenGate } from '../../src/service/open-gate.ts';
import { BlockStore } from '../../src/store/block-store.ts';
import { HistoryStore } from '../../src/store/history-store.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';

test('the routes describe themselves: every path of v1 with its parameters and answer', async () => {
  const database = await openDatabase(':memory:');
  const source = new ScriptedSource();
  const follower = new Follower({
    source,
    store: new BlockStore(database),
    createEngine: ({ feeRule }) => new FeeEngine({ feeRule }),
    historySec: 3_600,
    wallNow: Date.now,
    signal: AbortSignal.abort(),
    onError: () => {},
  });
  const history = new HistoryStore(database);
  const state = new ServiceState({ source, follower, history, nativeUsd: () => null, wallNow: Date.now });
  const app = createApp({ state, gate: createOpenGate(Date.now), onError: () => {} });
  const document = app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: 'gastop', version: '1' } });
  expect(Object.values(PATHS).map((path) => BASE_PATH + path)).toEqual(
    expect.arrayContaining(Object.keys(document.paths ?? {})),
  );
  const parameters = document.paths?.[BASE_PATH + PATHS.priorityFee]?.get?.parameters ?? [];
  expect(parameters.map((parameter) => ('name' in parameter ? parameter.name : ''))).toEqual([
    'from',
    'to',
    'bucket',
    'page',
    'size',
    'percentile',
  ]);
  await database.close();
});
