import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withMcp } from '../../src/cli/commands/serve-mcp.ts';
import { AutoTxList } from '../../src/contract/auto-txs.ts';
import { BASE_PATH, PATHS } from '../../src/contract/routes.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { serveService } from '../helpers/served-service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { RawConnection } from './fuzz/raw-connection.ts';

const UNLIMITED = { dailyLimit: null, perSecond: null };
const ANSWER_MS = 400;

async function serveImpatiently(source = new ScriptedSource(makeBlocks(391, 400))) {
  const plans = { test: UNLIMITED };
  const served = await serveService({ source, plans, mount: withMcp, limits: { answerMs: ANSWER_MS } });
  await waitFor(async () => (await served.get(PATHS.gasCurrent)).ok);
  return served;
}

/** Sends a request whose body never ends. */
async function stall(port: number, path: string, headers: readonly string[]): Promise<RawConnection> {
  const connection = await RawConnection.open(port);
  onTestFinished(() => connection.close());
  const type = 'Content-Type: application/json';
  const head = [`POST ${path} HTTP/1.1`, 'Host: localhost', type, ...headers].join('\r\n');
  connection.send(`${head}\r\n\r\n`);
  return connection;
}

const statusesOf = (stalled: readonly RawConnection[]) =>
  Promise.all(stalled.map(async (each) => (await each.answer(false, 60_000))?.status));

const initialize = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

describe('what the deadline of a request abandons', () => {
  it.each([
    ['a length and no byte, without a key', null, ['Content-Length: 500']],
    ['chunks without an end, without a key', null, ['Transfer-Encoding: chunked']],
    ['a length and no byte, with a key', 'key', ['Content-Length: 500']],
    ['megabytes of which none comes, with a key', 'key', ['Content-Length: 1200000']],
  ])('gives back its place at /mcp: %s', async (_, withKey, headers) => {
    const { origin, port, key } = await serveImpatiently();
    const own: Record<string, string> = withKey === null ? {} : { 'x-api-key': key };
    const sent = [...headers, ...Object.entries(own).map((pair) => pair.join(': '))];
    const shake = () =>
      fetch(`${origin}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...own,
        },
        body: initialize,
      });
    const stalled = await Promise.all(Array.from({ length: 16 }, () => stall(port, '/mcp', sent)));
    const statuses = await statusesOf(stalled);
    expect(statuses).toContain(503);
    // The first response also reads the code of MCP, which takes a busy machine longer than the deadline.
    await waitFor(async () => (await shake()).status === 200, { what: 'a place' });
  });

  it('gives back the room of large bodies on the routes', async () => {
    const { port, key, get } = await serveImpatiently();
    const path = BASE_PATH + PATHS.autoTxs;
    const upload = () => stall(port, path, [`x-api-key: ${key}`, 'Content-Length: 1300000']);
    for (const round of [1, 2]) {
      expect(await statusesOf([await upload(), await upload()]), `round ${round}`).toEqual([503, 503]);
    }
    expect((await get(PATHS.gasCurrent)).status).toBe(200);
  });

  it('is not written afterwards', async () => {
    const source = new ScriptedSource(makeBlocks(391, 400));
    source.balance = async () => 10n ** 18n;
    const answered = Promise.withResolvers<number>();
    source.nonce = () => answered.promise;
    const { origin, key, get } = await serveImpatiently(source);
    const account = privateKeyToAccount(`0x${'1'.repeat(64)}`);
    const create = async (nonce: number) => {
      const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 1n };
      const call = {
        type: 'eip1559',
        chainId: 1,
        nonce,
        to: account.address,
        value: 1n,
        gas: 21_000n,
      } as const;
      const signedTransaction = await account.signTransaction({ ...call, ...fees });
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      const body = JSON.stringify({ signedTransaction, targetGasPriceGwei: 0.000001 });
      return fetch(origin + BASE_PATH + PATHS.autoTxs, { method: 'POST', headers, body });
    };
    expect((await create(0)).status).toBe(503);
    answered.resolve(0);
    expect((await create(1)).status).toBe(201);
    const { items } = AutoTxList.parse(await (await get(PATHS.autoTxs)).json());
    expect(items.map(({ nonce }) => nonce)).toEqual([1]);
  });
});
