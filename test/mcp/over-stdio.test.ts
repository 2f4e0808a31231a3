import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished } from 'vitest';
import { createSimulatedSource } from '../../src/chain/simulated-source.ts';
import { GASTOP } from '../helpers/gastop.ts';
import { slowIt } from '../helpers/rounds.ts';
import { serveService } from '../helpers/served-service.ts';
import { temporaryFolder } from '../helpers/service.ts';
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

slowIt.each(REVISIONS)('offers every tool on stdio, reads and writes, revision %s', async (revision) => {
  const { client, errors, stderr } = await start(['--demo', '--history', '1h', '--allow-writes'], revision);
  const names = (await client.listTools(undefined, PATIENT)).tools.map(({ name }) => name);
  expect(names).toEqual([...READ_TOOLS, ...WRITE_TOOLS, 'compare_chains']);
  const unknown = await toolError(client, 'compare_chains', { chains: ['atlantis'] });
  expect(unknown).toContain('"atlantis" is not known');
  expect(await callTool(client, 'gas_now')).toMatchObject({ source: 'simulated' });
  const checked = await callTool(client, 'check_signed_transaction', {
    signedTransaction: await signedTransfer(0),
  });
  expect(checked).toMatchObject({ valueCoins: '0.001' });
  const alert = { thresholdGwei: 1, gasSpeed: 'SLOW', condition: 'GREATER_THAN', channels: ['TERMINAL'] };
  const { id } = await callTool(client, 'create_alert', alert);
  expect(await callTool(client, 'delete_alert', { id })).toEqual({ id, deleted: true });
  expect([errors, stderr()]).toEqual([[], '']);
});

it('says in a sentence that nodes are dead or a key is missing, and changes nothing unless allowed', async () => {
  const dead = await start(['--rpc', 'http://127.0.0.1:9'], 'legacy');
  expect((await dead.client.listTools(undefined, PATIENT)).tools).toHaveLength(READ_TOOLS.length + 1);
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

it('answers a line that is too long with one error, and goes on', async () => {
  const home = await temporaryFolder();
  const env = { PATH: process.env.PATH ?? '', HOME: home, XDG_DATA_HOME: home };
  const program = spawn(process.execPath, [GASTOP, 'mcp', '--demo'], {
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void program.kill());
  const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
  const answer = async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? 'null');
  const send = (line: string) => program.stdin.write(`${line}\n`);
  const ping = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
  const megabyte = ' '.repeat(1_000_000);
  send(ping(0));
  expect(await answer()).toMatchObject({ id: 0, result: {} });
  for (const [id, megabytes] of [
    [1, 5],
    [2, 12],
    [3, 40],
  ] as const) {
    program.stdin.write(ping(100 + id));
    for (let sent = 0; sent < megabytes; sent += 1) program.stdin.write(megabyte);
    send('');
    send(ping(id));
    expect(await answer()).toMatchObject({ id: null, error: { code: -32_600 } });
    expect(await answer()).toMatchObject({ id, result: {} });
  }
  program.stdin.end();
  const [code] = await once(program, 'close');
  expect(code).toBe(0);
});
