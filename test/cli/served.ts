import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { encodeBlock, encodeHeader, readBlockFile } from '../../src/chain/block-file.ts';
import { openReplaySource } from '../../src/chain/replay-source.ts';
import { startService } from '../../src/service/service.ts';
import { listen } from '../helpers/listen.ts';

/** 2,001 consecutive mainnet blocks; see test/fixtures/blocks/README.md. */
export const RECORDING = fileURLToPath(
  new URL('../fixtures/blocks/mainnet_2024-10-15_2001blocks_basefee_blobfee.csv', import.meta.url),
);

export async function withZeroTips(): Promise<string> {
  let text = encodeHeader(1);
  for await (const block of readBlockFile(RECORDING))
    text += encodeBlock({ ...block, tips: [0n, 0n, 0n, 0n, 0n, 0n, 0n] });
  return text;
}

export const SHORT_RECORDING = fileURLToPath(
  new URL('../fixtures/blocks/mainnet_2024-10-16_60blocks_basefee_blobfee.csv', import.meta.url),
);

export interface Served {
  readonly origin: string;
  readonly keys: readonly (string | undefined)[];
  close(): Promise<void>;
}

export async function serveRecording(file = SHORT_RECORDING, speed = 1): Promise<Served> {
  const stop = new AbortController();
  const source = await openReplaySource({ file, speed });
  const service = await startService({ source, database: ':memory:', signal: stop.signal });
  await service.ready;
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers['x-api-key']?.toString());
    void service
      .fetch(
        new Request(new URL(request.url ?? '/', 'http://127.0.0.1'), { method: request.method ?? 'GET' }),
      )
      .then(async (answer) => {
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        response.end(Buffer.from(await answer.arrayBuffer()));
      });
  });
  const { origin, stop: close } = await listen(server);
  return {
    origin,
    keys,
    close: async () => {
      await close();
      stop.abort();
      await service.done;
    },
  };
}
