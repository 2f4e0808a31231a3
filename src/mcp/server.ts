import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { GasClient } from '../client/gas-client.ts';
import { SIGNED_BODY_BYTES } from '../contract/choices.ts';
import { LineLimit } from './line-limit.ts';
import { type CompareChains, compareChains, READ_TOOLS } from './read-tools.ts';
import { type Tool, ToolError } from './tool.ts';
import { WRITE_TOOLS } from './write-tools.ts';

interface McpOptions {
  readonly version: string;
  readonly allowWrites: boolean;
  /** The setting that enables them, for callers of a tool that is not offered. */
  readonly writesNeed: string;
  /** Opens the service; called for each tool call. */
  readonly open: () => Promise<GasClient>;
  /** Converts an error of {@link open} or of the client to one sentence of advice, without secrets. */
  readonly describeError: (error: unknown) => string;
  /** Reads several chains side by side; left out: the tool that compares them is not offered. */
  readonly compare?: CompareChains;
}

const INSTRUCTIONS =
  'gastop tells what gas costs on one EVM chain, and whether to send now or to wait. Prices per gas are in gwei, amounts in whole native coins. gas_now answers what to pay, gas_advice when.';

/** Add a new tool to one of the two lists. */
export const TOOLS: readonly Tool[] = [...READ_TOOLS, ...WRITE_TOOLS];

function createServer(options: McpOptions): Server {
  const { version, allowWrites, writesNeed, open, describeError, compare } = options;
  const isOffered = ({ effect }: Tool) => allowWrites || effect === 'reads';
  const server = new Server(
    { name: 'gastop', title: 'gastop', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: [...TOOLS.filter(isOffered), ...(compare === undefined ? [] : [compareChains])].map(
      ({ listed }) => listed,
    ),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal } }) => {
    try {
      if (compare !== undefined && params.name === compareChains.name) {
        return resultOf(await compareChains.call(params.arguments ?? {}, async () => ({ compare, signal })));
      }
      const tool = TOOLS.find(({ name }) => name === params.name);
      if (tool === undefined) throw new ToolError('there is no such tool; tools/list names them');
      if (!isOffered(tool)) throw new ToolError(`${tool.name} changes something, which needs ${writesNeed}`);
      const result = await tool.call(params.arguments ?? {}, async () => ({
        ...{ client: await open(), signal, now: Date.now },
      }));
      return resultOf(result);
    } catch (error) {
      const text = error instanceof ToolError ? error.message : describeError(error);
      return { content: [{ type: 'text', text }], isError: true };
    }
  });
  return server;
}

/** Older MCP clients read only the text. */
const resultOf = (structuredContent: Record<string, unknown>) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(structuredContent) }],
  structuredContent,
});

/** A code of JSON-RPC 2.0. */
const INVALID_REQUEST = -32_600;

/** Serves MCP on stdin and stdout until stdin ends or `signal` aborts. */
export async function serveOverStdio(options: McpOptions, signal: AbortSignal): Promise<void> {
  const tooLong = {
    code: INVALID_REQUEST,
    message: `a message has at most ${SIGNED_BODY_BYTES} bytes; send less`,
  };
  const refuse = () =>
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: tooLong })}\n`);
  const stdin = process.stdin.pipe(new LineLimit(SIGNED_BODY_BYTES, refuse));
  const transport = new StdioServerTransport(stdin);
  const handle = serveStdio(() => createServer(options), { transport });
  const { promise, resolve } = Promise.withResolvers<void>();
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    resolve();
  };
  const close = () => void handle.close();
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
  await promise;
  process.stdin.unpipe(stdin).pause();
}

/**
 * Responds to one HTTP request; stateless, without server-sent messages. Resolves when the whole response is there, so
 * that none of its work goes on afterwards.
 * @param message the parsed body of `request`; `undefined` when it is not JSON
 */
export async function respondOverHttp(
  request: Request,
  message: unknown,
  options: McpOptions,
): Promise<Response> {
  // The library refuses what does not name both types, also */* and no header; without events the client gets JSON.
  const takesEvents = /text\/event-stream/i.test(request.headers.get('accept') ?? '');
  request.headers.set('accept', 'application/json, text/event-stream');
  const { fetch } = createMcpHandler(() => createServer(options), { maxSubscriptions: 0 });
  const parsed = message === undefined ? undefined : { parsedBody: message };
  const { status, headers, body } = await fetch(request, parsed);
  // Of the connection the HTTP server decides: a client may ask to have it closed.
  headers.delete('connection');
  const text = body === null ? null : await new Response(body).text();
  const isEvents = headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (takesEvents || !isEvents || text === null) return new Response(text, { status, headers });
  const messages = Array.from(text.matchAll(/^data: (.*)$/gm), ([, data = '']) => data).filter(Boolean);
  const json = Array.isArray(message) ? `[${messages.join()}]` : (messages[0] ?? '');
  return new Response(json, { status, headers: { 'Content-Type': 'application/json' } });
}
