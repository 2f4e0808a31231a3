import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { StatsCurrent, StatsMarket } from '../../src/contract/dashboard.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { TIP_PERCENTILES } from '../../src/core/block.ts';
import { ALL_DOCUMENTS, read } from '../documents/project-files.ts';
import { makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { fixedPrice } from '../helpers/fixed-price.ts';
import {
  expressionProblems,
  type Family,
  parsePrometheusText,
  type Sample,
} from '../helpers/prometheus-text.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { type ServedService, serveService, shareServedService } from '../helpers/served-service.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** Known on chains or after a time that these tests do not have. */
const RARE: ReadonlySet<string> = new Set(['gastop_base_fee_floor_wei', 'gastop_lane_probability']);

/** What Grafana requires of a dashboard's JSON, and what this one uses: https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/ */
const DataSource = z.strictObject({ type: z.literal('prometheus'), uid: z.literal('$datasource') });
const Panel = z.strictObject({
  id: z.int().positive(),
  title: z.string().min(1),
  description: z.string().min(1),
  type: z.enum(['timeseries', 'stat', 'gauge']),
  datasource: DataSource,
  gridPos: z.strictObject({
    x: z.int().min(0).max(23),
    y: z.int().min(0),
    w: z.int().min(1).max(24),
    h: z.int().min(1),
  }),
  fieldConfig: z.strictObject({
    defaults: z.strictObject({
      unit: z.enum(['suffix: gwei', 'none', 'percentunit', 'currencyUSD', 'reqps', 'short']),
      min: z.number().optional(),
      max: z.number().optional(),
    }),
    overrides: z.tuple([]),
  }),
  options: z.record(z.string(), z.unknown()),
  targets: z
    .array(
      z.strictObject({
        datasource: DataSource,
        expr: z.string().min(1),
        legendFormat: z.string(),
        refId: z.string().regex(/^[A-Z]$/),
      }),
    )
    .min(1)
    .refine((targets) => new Set(targets.map(({ refId }) => refId)).size === targets.length),
});
const variable = { name: z.string().regex(/^\w+$/), label: z.string(), current: z.strictObject({}) };
const Dashboard = z.strictObject({
  title: z.string().min(1),
  uid: z.string().max(40),
  tags: z.array(z.string()),
  schemaVersion: z.int().min(36),
  version: z.int(),
  editable: z.boolean(),
  graphTooltip: z.literal([0, 1, 2]),
  timezone: z.enum(['browser', 'utc']),
  refresh: z.string().regex(/^\d+[smh]$/),
  time: z.strictObject({ from: z.string(), to: z.string() }),
  templating: z.strictObject({
    list: z.array(
      z.discriminatedUnion('type', [
        z.strictObject({ ...variable, type: z.literal('datasource'), query: z.literal('prometheus') }),
        z.strictObject({
          ...variable,
          type: z.literal('query'),
          datasource: DataSource,
          query: z.strictObject({ query: z.string(), refId: z.string() }),
          definition: z.string(),
          refresh: z.literal([0, 1, 2]),
          includeAll: z.boolean(),
          multi: z.boolean(),
        }),
      ]),
    ),
  }),
  annotations: z.strictObject({ list: z.tuple([]) }),
  panels: z.array(Panel).min(10),
});

/** A rule file of Prometheus: https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/ */
const Rules = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string().min(1),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^[A-Z]\w+$/),
          expr: z.string().min(1),
          for: z.string().regex(/^\d+[smhd]$/),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning', 'info']) }),
          annotations: z.strictObject({ summary: z.string().min(1), description: z.string().min(1) }),
        }),
      ),
    }),
  ),
});

const metrics = async ({ origin }: { readonly origin: string }): Promise<Family[]> =>
  parsePrometheusText(await (await fetch(`${origin}/metrics`)).text());

const samplesOf = (families: readonly Family[], name: string): readonly Sample[] =>
  families.find((family) => family.name === name)?.samples ?? [];

const figureOf = (families: readonly Family[], name: string, labels: Readonly<Record<string, string>> = {}) =>
  samplesOf(families, name).find((sample) =>
    Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value ?? null;

async function ready(served: ServedService): Promise<ServedService> {
  await waitFor(async () => (await fetch(`${served.origin}/readyz`)).ok);
  return served;
}

const mainnet = shareServedService(() => ({
  source: new ScriptedSource(makeBlocks(1, 2_000)),
  priceFeed: fixedPrice(2_500),
  historySec: 86_400,
}));

describe('the page of /metrics', () => {
  it('keeps to the grammar of the text format, its histograms and all, after requests of every kind', async () => {
    const served = await ready(mainnet());
    for (const path of [PATHS.gasCurrent, '/gas/x"y\\z', `${PATHS.baseFee}?from=x`, '/metrics/block/12'])
      await served.get(path);
    await fetch(`${served.origin}/metrics`, { method: 'PROPFIND' });
    const families = await metrics(served);
    expect(families.length).toBeGreaterThan(40);
    expect(families.filter(({ help }) => help === '')).toEqual([]);
  });

  it('is refused by the reader of these tests where it breaks the grammar', () => {
    const head = '# HELP a A.\n# TYPE a gauge\n';
    for (const wrong of [
      'a 1',
      `${head}a{b=1} 1\n`,
      `${head}a{b="\\x"} 1\n`,
      `${head}a one\n`,
      `${head}a 1\na 2\n`,
      `${head}b 1\n`,
      `${head}a{b="1",b="2"} 1\n`,
      `${head}`,
      `${head}a 1\n# TYPE a counter\n`,
      '# HELP h H.\n# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n',
      '# HELP h H.\n# TYPE h histogram\nh_bucket{le="1"} 1\nh_sum 1\nh_count 1\n',
    ]) {
      expect(() => parsePrometheusText(wrong), wrong).toThrow();
    }
    expect(parsePrometheusText(`${head}a{b="\\"\\\\\\n",} -1.5e+3 17\n`)).toMatchObject([
      { name: 'a', type: 'gauge', samples: [{ labels: { b: '"\\\n' }, value: -1_500 }] },
    ]);
  });

  it.each([1, 10, 137, 42_161])('says on chain %d what the routes say of the same block', async (chainId) => {
    const source = new ScriptedSource(makeBlocks(1, 900), { chainId });
    const served = await ready(await serveService({ source, priceFeed: fixedPrice(2_500) }));
    await served.filled();
    await waitFor(async () => figureOf(await metrics(served), 'gastop_native_usd') !== null);
    const [families, current, market] = [
      await metrics(served),
      StatsCurrent.parse(await (await served.get(PATHS.statsCurrent)).json()),
      StatsMarket.parse(await (await served.get(PATHS.statsMarket)).json()),
    ];
    const { snapshot, trend, recommendation } = current;
    const said = (name: string, labels = {}) => figureOf(families, name, labels);
    const chain = { chain_id: String(chainId) };
    expect(samplesOf(families, 'gastop_base_fee_wei')).toEqual([
      { name: 'gastop_base_fee_wei', labels: chain, value: snapshot.basePrice },
    ]);
    expect({
      next: said('gastop_next_base_fee_wei'),
      floor: said('gastop_base_fee_floor_wei'),
      blob: said('gastop_blob_base_fee_wei'),
      full: said('gastop_gas_used_ratio'),
      usd: said('gastop_native_usd'),
      change: said('gastop_base_fee_change_ratio'),
      rank: said('gastop_base_fee_rank_ratio'),
      congestion: said('gastop_recent_gas_used_ratio'),
      stale: said('gastop_prices_stale'),
    }).toEqual({
      next: snapshot.nextBasePrice,
      floor: snapshot.floorPrice,
      blob: snapshot.blobBasePrice,
      full: snapshot.gasUsedRatio,
      usd: 2_500,
      change: trend.changeRatio,
      rank: trend.percentileRank24h,
      congestion: trend.congestion,
      stale: 0,
    });
    for (const [lane, of] of Object.entries(snapshot.lanes)) {
      expect({
        price: said('gastop_lane_price_wei', { lane }),
        maxFeePerGas: said('gastop_lane_max_fee_wei', { lane }),
        maxPriorityFeePerGas: said('gastop_lane_max_priority_fee_wei', { lane }),
        probability: said('gastop_lane_probability', { lane }),
        waitSec: { p50: of.waitSec.p50, p95: said('gastop_lane_wait_seconds', { lane }) },
      }).toEqual({ ...of, withinBlocks: undefined, reason: undefined });
    }
    const tips = TIP_PERCENTILES.map((each) => said('gastop_tip_wei', { percentile: `p${each}` }));
    expect(tips).toEqual(makeBlock(900).tips?.map(Number));
    const { action, probability, targetPrice } = recommendation;
    expect(samplesOf(families, 'gastop_advice').filter(({ value }) => value === 1)).toHaveLength(
      action === null ? 0 : 1,
    );
    expect(said('gastop_advice', { action: action ?? 'none' })).toBe(action === null ? null : 1);
    expect(said('gastop_advice_probability')).toBe(action === null ? null : probability);
    expect(said('gastop_advice_target_price_wei')).toBe(action === null ? null : targetPrice);
    for (const { name, average, dataFee } of market.actions) {
      const labels = { action: name, lane: 'average' };
      const known = dataFee !== null;
      expect(said('gastop_action_cost_wei', labels)).toBe(known ? Number(average.wei) : null);
      expect(said('gastop_action_cost_usd', labels)).toBe(known ? average.usd : null);
    }
  });

  it('leaves out what is not known: dollars, tips, blobs, advice without history', async () => {
    const bare = { tips: null, blobBaseFee: null, nextBlobBaseFee: null };
    const source = new ScriptedSource([makeBlock(1, bare), makeBlock(2, bare)], { chainId: 424_242 });
    const families = await metrics(await ready(await serveService({ source, priceFeed: fixedPrice(null) })));
    const names = families.map(({ name }) => name);
    expect(names).toContain('gastop_lane_price_wei');
    for (const name of ['tip_wei', 'native_usd', 'action_cost_usd', 'blob_base_fee_wei', 'lane_probability'])
      expect(names).not.toContain(`gastop_${name}`);
    expect(names.filter((name) => name.startsWith('gastop_advice'))).toEqual([]);
  });

  it('has no gauge of gas while prices are stale, and before the first block', async () => {
    const source = new ScriptedSource(makeBlocks(391, 400));
    const served = await ready(await serveService({ source }));
    expect(figureOf(await metrics(served), 'gastop_base_fee_wei')).toBe(Number(makeBlock(400).baseFeePerGas));
    source.clock = (makeBlock(400).timestamp + 86_400) * 1_000;
    source.isReachable = false;
    source.emit({ type: 'down', reason: 'it does not answer', retryAt: Date.now() + 1_000 });
    await waitFor(async () => figureOf(await metrics(served), 'gastop_prices_stale') === 1);
    const stale = (await metrics(served)).map(({ name }) => name);
    expect(stale.filter((name) => /_wei$|_usd$|_ratio$|advice|lane/.test(name))).toEqual([]);
    expect(stale).toContain('gastop_head_age_seconds');

    const empty = new ScriptedSource([]);
    empty.isReachable = false;
    const starting = (await metrics(await serveService({ source: empty }))).map(({ name }) => name);
    expect(starting.filter((name) => /wei|advice|stale/.test(name))).toEqual([]);
    expect(starting).toContain('gastop_ready');
  });

  it('stands in METRICS.md, each metric with type, labels and meaning', async () => {
    const served = await readyMainnet();
    const rows = (await metrics(served)).map(({ name, type, help, samples }) => {
      const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
      const told = [...labels].filter((label) => label !== 'le').map((label) => `\`${label}\``);
      return `| \`${name}\` | ${type} | ${told.join(', ')} | ${help} |`;
    });
    const documented = read('docs/METRICS.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(documented.filter((row) => !RARE.has(row.split('`')[1] ?? ''))).toEqual(rows);
  });
});

it('METRICS.md has each metric that a document names', () => {
  const named = [...ALL_DOCUMENTS.matchAll(/\bgastop_[a-z]\w+/g)].map(([name]) => name);
  const documented = read('docs/METRICS.md');
  expect(named.length).toBeGreaterThan(40);
  expect([...new Set(named)].filter((name) => !documented.includes(`| \`${name}\` |`))).toEqual([]);
});

describe('the dashboard for Grafana', () => {
  const dashboard = Dashboard.parse(JSON.parse(read('docs/monitoring/gastop-dashboard.json')));

  it('has panels with numbers of their own that lie beside each other', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const [at, { gridPos: one, title }] of panels.entries()) {
      expect(one.x + one.w, title).toBeLessThanOrEqual(24);
      for (const { gridPos: other } of panels.slice(at + 1)) {
        const isBeside = one.x + one.w <= other.x || other.x + other.w <= one.x;
        expect(isBeside || one.y + one.h <= other.y || other.y + other.h <= one.y, title).toBe(true);
      }
    }
  });

  it('names metrics and labels that the service has, in PromQL', async () => {
    const served = await readyMainnet();
    const families = await metrics(served);
    const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    expect(expressions.length).toBeGreaterThan(15);
    for (const expr of expressions) expectKnown(expr, families);
    for (const { type, query } of dashboard.templating.list) {
      if (type === 'datasource') continue;
      const [, selector = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(query.query) ?? [];
      expectKnown(selector, families);
      expect([...labelsFrom(families, 'gastop_prices_stale'), 'instance']).toContain(label);
    }
  });
});

describe('the alerting rules', () => {
  const { groups } = Rules.parse(parse(read('docs/monitoring/gastop-rules.yml')));
  const rules = groups.flatMap((group) => group.rules);

  it('are three, each with its words and a severity to route it by', () => {
    expect(rules.map(({ alert }) => alert)).toEqual(['GastopNotReady', 'GasIsDear', 'GasIsCheap']);
    expect(new Set(rules.map(({ labels }) => labels.severity)).size).toBe(3);
  });

  it('name metrics and labels that the service has, in PromQL, and those that are left in their words', async () => {
    const families = await metrics(await readyMainnet());
    for (const { expr, annotations } of rules) {
      expectKnown(expr, families);
      const left = /by \((\w+)\)/.exec(expr)?.[1];
      for (const text of Object.values(annotations))
        for (const [, label] of text.matchAll(/\$labels\.(\w+)/g)) expect(label).toBe(left);
    }
  });

  it('are no PromQL, or name what is not there, where these tests must say so', async () => {
    const families = await metrics(await readyMainnet());
    for (const wrong of [
      'gastop_ready ==',
      'gastop_readyy == 0',
      'gastop_lane_price_wei{lame="fast"}',
      'sum(',
    ]) {
      expect(() => expectKnown(wrong, families), wrong).toThrow();
    }
  });
});

async function readyMainnet(): Promise<ServedService> {
  const served = await ready(mainnet());
  await served.get(PATHS.gasCurrent);
  await waitFor(async () => {
    const families = await metrics(served);
    return ['gastop_advice', 'gastop_native_usd'].every((name) => samplesOf(families, name).length > 0);
  });
  return served;
}

const labelsFrom = (families: readonly Family[], name: string) => {
  const { samples = [] } =
    families.find((family) => family.name === name.replace(/_(bucket|sum|count)$/, '')) ?? {};
  return new Set(samples.flatMap(({ labels }) => Object.keys(labels)));
};

/** By Prometheus' own grammar. Grafana's variables stand in strings, where the grammar takes them. */
function expectKnown(expr: string, families: readonly Family[]): void {
  const known = new Set(families.map(({ name }) => name));
  let metric = '';
  expect(expressionProblems(expr), expr).toEqual([]);
  parser.parse(expr).iterate({
    enter: ({ type, from, to }) => {
      const text = expr.slice(from, to);
      if (type.name === 'VectorSelector') metric = /^\w+/.exec(text)?.[0] ?? '';
      if (type.name === 'VectorSelector') expect(known, expr).toContain(metric);
      if (type.name === 'LabelName') {
        // A scrape adds `instance`.
        expect(
          [...labelsFrom(families, metric || (expr.match(/gastop_\w+/)?.[0] ?? '')), 'instance'],
          expr,
        ).toContain(text);
      }
    },
  });
}
