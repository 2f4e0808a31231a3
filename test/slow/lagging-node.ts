/** A node that stands so many blocks behind the one it asks. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../helpers/listen.ts';

interface Call {
  readonly id?: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** Where a method names the block that it is about. */
const BLOCK_AT: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getBlockReceipts: 0,
  eth_feeHistory: 1,
  eth_getTransactionCount: 1,
  eth_getBalance: 1,
  eth_call: 1,
};

export async function startLaggingNode(url: () => string, behind: () => number) {
  const ask = async (call: object) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url(), { method: 'POST', headers, body: JSON.stringify(call) });
    return (await response.json()) as { result?: unknown };
  };
  const http = createServer(async (request, response) => {
    const call = JSON.parse(await text(request)) as Call;
    const answer = await answerTo(call).catch(() => null);
    if (answer === null) return void request.socket.destroy();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });

  async function answerTo(call: Call): Promise<object> {
    const lag = behind();
    if (lag === 0) return ask(call);
    const { id, method, params = [] } = call;
    const { result } = await ask({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
    const head = Math.max(0, Number(result) - lag);
    if (method === 'eth_blockNumber') return { jsonrpc: '2.0', id, result: `0x${head.toString(16)}` };
    const place = BLOCK_AT[method];
    if (place !== undefined) {
      const block = params[place];
      if (block === 'latest') return ask({ ...call, params: params.with(place, `0x${head.toString(16)}`) });
      if (Number(block) > head) return { jsonrpc: '2.0', id, result: null };
    }
    const answer = await ask(call);
    const { blockNumber } = (answer.result ?? {}) as { readonly blockNumber?: string | null };
    return Number(blockNumber ?? 0) > head ? { ...answer, result: null } : answer;
  }

  const { port, stop } = await listen(http);
  return { url: `http://127.0.0.1:${port}`, stop };
}
