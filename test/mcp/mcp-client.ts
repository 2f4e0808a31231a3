import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import * as z from 'zod';

/** The revision of 2025 with its handshake, and that of 2026 without one. */
export const REVISIONS = ['legacy', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

/** The official client; it checks every result by the schema that the tool lists. It is closed when the test ends. */
export async function connectClient(
  transport: Parameters<Client['connect']>[0],
  revision: Revision = 'legacy',
): Promise<Client> {
  const mode = revision === 'legacy' ? revision : { pin: revision };
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(transport);
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

/** What a tool answers, which its text must say as well. */
export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: args });
  const [{ text }] = Content.parse(content);
  if (isError) throw new Error(`${name}: ${text}`);
  if (text !== JSON.stringify(structuredContent)) throw new Error(`${name}: the text says something else`);
  return z.record(z.string(), z.unknown()).parse(structuredContent);
}

/** The sentence of a tool that fails. */
export async function toolError(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<string> {
  const { isError, content } = await client.callTool({ name, arguments: args });
  const [{ text }] = Content.parse(content);
  if (isError !== true) throw new Error(`${name} succeeded: ${text}`);
  return text;
}
