import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { utcMinute } from '../../src/core/units.ts';
import { sendJson, serve } from '../client/http-server.ts';
import { type JsonRpcServer, startJsonRpcServer } from '../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../helpers/scripted-chain.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { runMain } from './captured-io.ts';
import { serveRecording } from './served.ts';

const DAY_SEC = 86_400;
const folder = sharedFolder('stale');

describe('a node that answers but has had no block for a day', () => {
  const length = 40;
  let node: JsonRpcServer;
  let lastAt = 0;
  beforeAll(async () => {
    const startedAt = Math.floor(Date.now() / 1_000) - DAY_SEC - length * 12;
    const chain = createScriptedChain({ length, startedAt });
    lastAt = chain.head().timestamp;
    node = await startJsonRpcServer(chain);
  });
  afterAll(() => node.stop());

  it.each(['the first time', 'again'])(
    'is exit 3, stdout empty, one line of age and reason, %s',
    async () => {
      for (const form of [[], ['--json'], ['--format', '{average:wei}']]) {
        const result = await runMain(['now', '--rpc', node.url, ...form], { env: { XDG_DATA_HOME: folder } });
        expect({ exitCode: result.exitCode, stdout: result.stdout }).toEqual({ exitCode: 3, stdout: '' });
        expect(result.stderr).toMatch(/^gastop: the prices are 1d old: no new block since [^\n]+\n$/);
        expect(result.stderr).toContain(utcMinute(lastAt * 1_000));
        expect(result.stderr).toContain('--stale-ok');
      }
    },
  );

  it('is shown with --stale-ok, in every form', async () => {
    const argv = ['now', '--stale-ok', '--rpc', node.url];
    const env = { XDG_DATA_HOME: folder };
    const { exitCode, stdout } = await runMain([...argv, '--format', '{block} {base:wei}'], { env });
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: `${length - 1} ${node.chain.head().baseFeePerGas}\n`,
    });
    expect(await runMain(argv, { env })).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await runMain([...argv, '--json'], { env })).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('is exit 3 too where an earlier run had stored less of it', async () => {
    const db = join(folder, 'earlier.db');
    const whole = node.chain;
    const earlier = whole.fork();
    earlier.rollBack(10);
    node.chain = earlier;
    expect(await runMain(['now', '--stale-ok', '--db', db, '--rpc', node.url])).toMatchObject({
      exitCode: 0,
    });
    node.chain = whole;
    const { exitCode, stdout, stderr } = await runMain(['now', '--db', db, '--rpc', node.url]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
    expect(stderr).toContain('gastop: the prices are 1d old: ');
  });

  it('still tells its history', async () => {
    const argv = ['history', '--csv', '--bucket', 'block', '--window', '5m', '--rpc', node.url];
    const { exitCode, stdout } = await runMain(argv, { env: { XDG_DATA_HOME: folder } });
    expect(exitCode).toBe(0);
    expect(stdout.trim().split('\n').at(-1)).toContain(`,${length - 1},`);
  });
});

describe('a service that calls its prices stale', () => {
  const stale = { stale: true, source: { kind: 'rpc', name: 'x', problem: null, ended: false } };
  async function serveChanged(change: object): Promise<string> {
    const served = await serveRecording();
    onTestFinished(() => served.close());
    const { url } = await serve((request, response) => {
      void fetch(`${served.origin}${request.url}`).then(async (answer) =>
        sendJson(response, Object.assign({}, await answer.json(), change)),
      );
    });
    return url;
  }

  it('is exit 3 and nothing on stdout; --stale-ok prints them', async () => {
    const argv = ['now', '--url', await serveChanged(stale), '--format', '{block}'];
    const refused = await runMain(argv);
    expect({ exitCode: refused.exitCode, stdout: refused.stdout }).toEqual({ exitCode: 3, stdout: '' });
    expect(refused.stderr).toMatch(
      /^gastop: the prices are \d+y\d*d? old: the blocks since the last run are still to come[^\n]+\n$/,
    );
    expect(await runMain([...argv, '--stale-ok'])).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('of a recording that has ended is as good as the recording', async () => {
    const source = { kind: 'replay', name: 'x', problem: null, ended: true };
    expect(await runMain(['now', '--url', await serveChanged({ stale: true, source })])).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
  });
});
