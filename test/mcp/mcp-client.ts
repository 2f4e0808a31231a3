import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { privateKeyToAccount } from 'viem/accounts';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { SIMULATED_CHAIN_ID } from '../../src/core/chains.ts';

export const READ_TOOLS = [
  ...[
    'gas_now',
    'gas_advice',
    'gas_history',
    'chain_rules',
    'block',
    'transaction',
    'action_cost',
    'call_cost',
  ],
  ...['threshold', 'list_alerts', 'list_auto_txs', 'check_signed_transaction'],
];
export const WRITE_TOOLS = [
  'create_alert',
  'update_alert',
  'enable_alert',
  'disable_alert',
  'delete_alert',
  'cancel_auto_tx',
];

export const PRIVATE_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const GWEI = 10n ** 9n;

export const signedTransfer = (nonce: number) =>
  privateKeyToAccount(PRIVATE_KEY).signTransaction({
    ...{ type: 'eip1559', chainId: SIMULATED_CHAIN_ID, nonce, value: 10n ** 15n, gas: 21_000n },
    to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    ...{ maxFeePerGas: 500n * GWEI, maxPriorityFeePerGas: GWEI },
  });

/** The revision of 2025 with its handshake, and that of 2026 without one. */
export const REVISIONS = ['legacy', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

export const PATIENT = { timeout: 300_000 };

/** The official client; it checks every result by the schema that the tool lists. It is closed when the test ends. */
export async function connectClient(
  transport: Parameters<Client['connect']>[0],
  revision: Revision = 'legacy',
): Promise<Client> {
  const mode = revision === 'legacy' ? revision : { pin: revision };
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(transport, PATIENT);
  onTestFinished(() => client.close());
  return client;
}

export const overHttp = (origin: string, key: string | null, revision?: Revision): Promise<Client> =>
  connectClient(
    new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), {
      requestInit: { headers: key === null ? {} : { 'x-api-key': key } },
    }),
    revision,
  );

const Content = z.tuple([z.object({ type: z.literal('text'), text: z.string() })]);

export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const {
    isError = false,
    content,
    structuredContent,
  } = await client.callTool({ name, arguments: args }, PATIENT);
  const [{ text }] = Content.parse(content);
  if (isError) throw new Error(`${name}: ${text}`);
  if (text !== JSON.stringify(structuredContent)) throw new Error(`${name}: the text says something else`);
  return z.record(z.string(), z.unknown()).parse(structuredContent);
}

export async function toolError(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<string> {
  const { isError, content } = await client.callTool({ name, arguments: args }, PATIENT);
  const [{ text }] = Content.parse(content);
  if (isError !== true) throw new Error(`${name} succeeded: ${text}`);
  return text;
}
