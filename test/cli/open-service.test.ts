import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createRpcSource } from '../../src/chain/rpc-source.ts';
import { openService } from '../../src/cli/open-service.ts';
import { resolveSettings } from '../../src/cli/settings.ts';
import { GasCurrent } from '../../src/contract/gas.ts';
import { BASE_PATH, PATHS } from '../../src/contract/routes.ts';
import { startJsonRpcServer } from '../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../helpers/scripted-chain.ts';
import { runService, temporaryFolder } from '../helpers/service.ts';
import { captureIo } from './captured-io.ts';

test('the service in this process gives the prices that any service gives', async () => {
  const chain = createScriptedChain({ length: 320, startedAt: Math.floor(Date.now() / 1_000) - 320 * 12 });
  const node = await startJsonRpcServer(chain);
  onTestFinished(() => node.stop());
  const source = createRpcSource({ urls: [node.url] });
  onTestFinished(() => source.close());
  const service = await runService({ source });
  await service.ready;
  const { lanes } = GasCurrent.parse(await service.read(PATHS.gasCurrent));

  const settings = resolveSettings(
    { rpc: [node.url], db: join(await temporaryFolder(), 'once.db') },
    {},
    null,
  );
  const choice = settings.source.value;
  if (choice.kind !== 'rpc') throw new Error('it is a node that was named');
  const options = {
    historySec: settings.historySec.value,
    withinMs: 10_000,
    pace: 'real-time',
    signal: new AbortController().signal,
  } as const;
  const opened = await openService(captureIo().io, choice, settings, options);
  onTestFinished(opened.close);
  await opened.service.ready;
  const answer = await opened.service.fetch(new Request(`http://gastop.test${BASE_PATH}${PATHS.gasCurrent}`));
  expect(GasCurrent.parse(await answer.json()).lanes).toEqual(lanes);
});
