import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { createSimulatedSource } from '../../src/chain/simulated-source.ts';
import { GASTOP } from '../helpers/gastop.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import { serveService } from '../helpers/served-service.ts';
import { temporaryFolder } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import {
  callTool,
  connectClient,
  PATIENT,
  READ_TOOLS,
  REVISIONS,
  type Revision,
  signedTransfer,
  toolError,
  WRITE_TOOLS,
} from './mcp-client.ts';

/** The built program as an MCP client starts it. What is on its stdout and no message fails the test. */
async function start(argv: readonly string[], revision: Revision) {
  const home = await temporaryFolder();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [GASTOP, 'mcp', ...argv],
    env: { PATH: process.env.PATH ?? '', HOME: home, XDG_DATA_HOME: home },
    stderr: 'pipe',
  });
  const text = { stderr: '' };
  transport.stderr?.on('data', (chunk: Buffer) => {
    text.stderr += chunk.toString();
  });
  const client = await connectClient(transport, revision);
  const errors: Error[] = [];
  client.onerror = (error) => errors.push(error);
  return { client, errors, stderr: () => text.stderr };
}

const Found = z.array(z.object({ id: z.string(), status: z.string(), hash: z.string().nullable() }));

it.runIf(isSlowRun).each(REVISIONS)('answers every tool on stdio, revision %s', async (revision) => {
  const { client, errors, stderr } = await start(['--demo', '--history', '1h', '--allow-writes'], revision);
  const names = (await client.listTools(undefined, PATIENT)).tools.map(({ name }) => name);
  expect(names).toEqual([...READ_TOOLS, ...WRITE_TOOLS, 'compare_chains']);
  const unknown = await toolError(client, 'compare_chains', { chains: ['atlantis'] });
  expect(unknown).toContain('"atlantis" is not known');
  expect(await callTool(client, 'gas_now')).toMatchObject({ source: 'simulated' });
  for (const name of ['gas_advice', 'gas_history', 'block', 'action_cost']) await callTool(client, name);
  const checked = await callTool(client, 'check_signed_transaction', {
    signedTransaction: await signedTransfer(0),
  });
  expect(checked).toMatchObject({ valueCoins: '0.001' });

  const alert = { thresholdGwei: 1, gasSpeed: 'SLOW', condition: 'GREATER_THAN', channels: ['TERMINAL'] };
  const { id } = await callTool(client, 'create_alert', alert);
  expect(await callTool(client, 'disable_alert', { id })).toEqual({ id, status: 'DISABLED' });
  expect(await callTool(client, 'list_alerts')).toMatchObject({ alerts: expect.any(Array) });
  expect(await callTool(client, 'enable_alert', { id })).toEqual({ id, status: 'PENDING' });
  expect(await callTool(client, 'delete_alert', { id })).toEqual({ id, deleted: true });

  // The demo has auto-txs of its own, some seconds after its start.
  const [executed, draft] = await waitFor(
    async () => {
      const autoTxs = Found.parse((await callTool(client, 'list_auto_txs')).autoTxs);
      const found = ['EXECUTED', 'DRAFT'].map((wanted) => autoTxs.find(({ status }) => status === wanted));
      return found.includes(undefined) ? Promise.reject(new Error('there are fewer')) : found;
    },
    { what: 'auto-txs of the demo' },
  );
  expect(await callTool(client, 'transaction', { hash: executed?.hash })).toMatchObject({
    status: 'SUCCESS',
  });
  expect(await callTool(client, 'cancel_auto_tx', { id: draft?.id })).toMatchObject({
    status: 'CANCELLED',
  });
  expect([errors, stderr()]).toEqual([[], '']);
});

it('says in a sentence that nodes are dead or a key is missing, and changes nothing unless allowed', async () => {
  const dead = await start(['--rpc', 'http://127.0.0.1:9'], 'legacy');
  expect((await dead.client.listTools(undefined, PATIENT)).tools).toHaveLength(10);
  expect(await toolError(dead.client, 'gas_now')).toMatch(
    /^no node answers; name one with --rpc URL.*127\.0\.0\.1:9/,
  );
  expect(await toolError(dead.client, 'delete_alert', { id: 'a' })).toBe(
    'delete_alert changes something, which needs gastop mcp --allow-writes',
  );
  expect(dead.errors).toEqual([]);

  const { origin } = await serveService({ source: createSimulatedSource({ seed: 1 }) });
  const keyless = await start(['--url', origin], 'legacy');
  expect(await toolError(keyless.client, 'gas_now')).toBe(
    'the service asks for a key: set GASTOP_API_KEY or put it in the config file',
  );
  expect(keyless.errors).toEqual([]);
});
