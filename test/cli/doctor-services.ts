import type { IncomingMessage, ServerResponse } from 'node:http';
import { RateLimits, StatsCurrent, Summary } from '../../src/contract/dashboard.ts';
import { TxsMetrics } from '../../src/contract/metrics.ts';
import { BASE_PATH } from '../../src/contract/routes.ts';
import type { Certificate } from '../client/certificates.ts';
import { serve } from '../client/http-server.ts';
import * as own from '../client/own-answers.ts';
import { AT, BLOCK, HASH, TX } from './explorer-answers.ts';

export type Answers = Readonly<Record<string, unknown>>;
export type Answering = (request: IncomingMessage, response: ServerResponse) => void;

export async function serveAnswers(
  answers: Answers,
  { secure, headers = {} }: { secure?: Certificate; headers?: Readonly<Record<string, string>> } = {},
) {
  const asked: string[] = [];
  const keys: (string | undefined)[] = [];
  const answering = (request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? '').replace(BASE_PATH, '');
    asked.push(path);
    keys.push(request.headers['x-api-key']?.toString());
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const answer = answers[path.replace(/\?.*$/, '')];
    if (typeof answer === 'function') (answer as Answering)(request, response);
    else if (answer === undefined) send(response, { errorCode: 'not_found', message: 'no such route' }, 404);
    else send(response, answer);
  };
  const { url } = await serve(answering, undefined, secure);
  return { url, asked, keys };
}

export function send(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

export const OWN_ROUTES: Answers = {
  '/gas/current': {
    ...own.OWN_SNAPSHOT,
    stale: false,
    source: {
      kind: 'rpc',
      name: 'a.example',
      problem: null,
      ended: false,
      chainName: 'Ethereum',
      restartedAt: null,
    },
    blockTimestamp: new Date(Date.now() - 4_000).toISOString(),
    blockNumber: BLOCK.blockNumber,
  },
  '/gas/trend': own.OWN_TREND,
  '/gas/recommendation': own.OWN_RECOMMENDATION,
  '/dashboard/stats/current': StatsCurrent.parse({
    snapshot: own.OWN_SNAPSHOT,
    trend: own.OWN_TREND,
    recommendation: own.OWN_RECOMMENDATION,
  }),
  '/dashboard/stats/chart': own.OWN_CHART,
  '/dashboard/stats/market': own.OWN_MARKET,
  '/dashboard/rate-limits': RateLimits.parse({
    plan: 'basic',
    dailyLimit: 10_000,
    usedToday: 40,
    remainingToday: 9_960,
    resetsAt: AT,
    perSecond: 20,
  }),
  '/dashboard/summary': Summary.parse({
    alerts: { total: 0, pending: 0, disabled: 0, fired24h: 0 },
    autoTxs: { total: 0, byStatus: {} },
    savings: {
      savedWei: '0',
      savedUsd: null,
      events: 0,
      alerts: { savedWei: '0', savedUsd: null },
      autoTxs: { savedWei: '0', savedUsd: null },
    },
    gas: { low: 9, average: 9, high: 9, base: 7 },
    recommendation: { action: 'WAIT', targetPrice: 7, probability: null },
    health: {
      source: own.OWN_SNAPSHOT.source,
      stale: false,
      headAgeSec: 4,
      lagBlocks: 0,
      nodes: [],
      engine: null,
    },
  }),
  '/metrics/base-fee': own.OWN_BASE_FEE,
  '/metrics/priority-fee': own.OWN_PRIORITY_FEE,
  '/metrics/gas-used-ratio': own.OWN_GAS_USED_RATIO,
  [`/metrics/block/${BLOCK.blockNumber}`]: BLOCK,
  '/metrics/txs': TxsMetrics.parse({
    chainId: 1,
    from: AT,
    to: AT,
    bucket: 'block',
    page: 0,
    size: 5,
    total: 1,
    data: [
      {
        timestamp: AT,
        blockNumber: BLOCK.blockNumber,
        transactionIndex: 17,
        hash: HASH,
        status: 'SUCCESS',
        type: 2,
        from: TX.from,
        to: TX.to,
        value: TX.value,
        gasUsed: 52_000,
        effectiveGasPrice: 60_800_000,
        priorityFeePerGas: 10_000_000,
        costWei: '3161600000000',
      },
    ],
  }),
  [`/metrics/tx/${HASH}`]: TX,
};
