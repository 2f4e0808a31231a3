import type { DashboardView, EngineView, NodeView, RateLimitsView } from '../views/dashboard.ts';
import type { Answer } from './answer.ts';
import { Fields } from './fields.ts';

/** `GET /dashboard/rate-limits`. Required: any of its figures. */
export function readRateLimits(answer: Answer): RateLimitsView {
  const fields = new Fields(
    answer,
    answer.record(['plan', 'dailyLimit', 'usedToday', 'remainingToday'], 'usedToday'),
  );
  return {
    plan: fields.text('plan', 'planName'),
    dailyLimit: fields.count('dailyLimit', 'limit'),
    usedToday: fields.count('usedToday', 'used'),
    remainingToday: fields.count('remainingToday', 'remaining'),
    resetsAt: fields.time('resetsAt', 'resetAt', 'reset'),
    perSecond: fields.amount('perSecond'),
  };
}

/** `GET /dashboard/summary`. Required: any of its parts. */
export function readSummary(answer: Answer): DashboardView {
  const fields = new Fields(
    answer,
    answer.record(['alerts', 'autoTxs', 'savings', 'gas', 'health'], 'alerts'),
  );
  const alerts = fields.child('alerts');
  const autoTxs = fields.child('autoTxs', 'autoTransactions');
  const savings = fields.child('savings');
  const health = fields.child('health');
  return {
    alerts: {
      total: alerts?.count('total') ?? null,
      pending: alerts?.count('pending', 'active') ?? null,
      disabled: alerts?.count('disabled') ?? null,
      fired24h: alerts?.count('fired24h', 'triggered24h') ?? null,
    },
    autoTxs: { total: autoTxs?.count('total') ?? null, byStatus: autoTxs?.counts('byStatus') ?? {} },
    savings: {
      savedWei: savings?.wei('savedWei', 'saved') ?? null,
      savedUsd: savings?.amount('savedUsd') ?? null,
      events: savings?.count('events') ?? null,
    },
    health: {
      sourceName: health?.child('source')?.text('name') ?? health?.text('source') ?? null,
      stale: health?.flag('stale') ?? null,
      headAgeSec: health?.amount('headAgeSec') ?? null,
      lagBlocks: health?.count('lagBlocks') ?? null,
      nodes: health?.children('nodes').flatMap(readNode) ?? [],
      engine: readEngine(health?.child('engine')),
    },
  };
}

function readNode(fields: Fields): NodeView[] {
  const name = fields.text('name', 'host');
  if (name === null) return [];
  return [
    {
      name,
      state: fields.text('state', 'status'),
      head: fields.count('head', 'blockNumber'),
      latencyMs: fields.amount('latencyMs'),
      message: fields.text('message'),
    },
  ];
}

function readEngine(fields: Fields | null | undefined): EngineView | null {
  if (fields == null) return null;
  return {
    process: fields.text('process'),
    isHere: fields.flag('isHere'),
    since: fields.time('since'),
    heartbeatAt: fields.time('heartbeatAt'),
  };
}
