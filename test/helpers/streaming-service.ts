import type { ServerResponse } from 'node:http';
import type { GasCurrent } from '../../src/contract/gas.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { sendJson, serve } from '../client/http-server.ts';
import { OWN_SNAPSHOT } from '../client/own-answers.ts';

const DESCRIPTION = { openapi: '3.1.0', info: { title: 'Gas' }, paths: { [PATHS.gasStream]: { get: {} } } };

export function snapshotOf(blockNumber: number, wei = 9): GasCurrent {
  const now = new Date().toISOString();
  const prices = { lowPrice: wei, averagePrice: wei, highPrice: wei };
  const { slow } = OWN_SNAPSHOT.lanes;
  const lane = { ...slow, price: wei };
  const lanes = { slow: lane, average: lane, fast: lane };
  return {
    ...OWN_SNAPSHOT,
    ...prices,
    lanes,
    blockNumber,
    blockTimestamp: now,
    updatedAt: now,
    source: { ...OWN_SNAPSHOT.source, kind: 'rpc', problem: null, ended: false },
    stale: false,
  };
}

/** A service elsewhere that lists a stream, and does with it what the test says. */
export async function startStreamingService(first = snapshotOf(1)) {
  const streams = new Set<ServerResponse>();
  let polled = first;
  let isStreaming = true;
  const write = (stream: ServerResponse, snapshot: GasCurrent) =>
    stream.write(`id: ${snapshot.blockNumber}\ndata: ${JSON.stringify(snapshot)}\n\n`);
  const server = await serve((request, response) => {
    if (request.url?.endsWith(PATHS.gasCurrent)) return sendJson(response, polled);
    if (!request.url?.endsWith(PATHS.gasStream)) return sendJson(response, {}, 404);
    if (!isStreaming) return void response.destroy();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    streams.add(response.on('close', () => streams.delete(response)));
    write(response, polled);
  }, DESCRIPTION);
  return {
    ...server,
    streams: () => streams.size,
    timesPolled: () => server.requests.filter(({ path }) => path.endsWith(PATHS.gasCurrent)).length,
    tell: (snapshot: GasCurrent) => {
      for (const stream of streams) write(stream, snapshot);
    },
    /** Breaks all streams, and every one that is opened from now on; a poll gives this. */
    breakStreams: (snapshot: GasCurrent) => {
      isStreaming = false;
      polled = snapshot;
      for (const stream of streams) stream.destroy();
    },
  };
}
