import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FIXTURE } from '../../scripts/advice/score.ts';
import { readScores, scoresOf, withTable } from '../../scripts/rule-figures.ts';
import { ANY_SERVICE } from '../../src/contract/alert-targets.ts';
import { checkAlert } from '../../src/contract/alerts.ts';
import { checkAutoTx } from '../../src/contract/auto-txs.ts';
import { ThresholdWire } from '../../src/contract/threshold.ts';
import { parseMaxCost } from '../../src/core/auto-txs/cost-limit.ts';
import { ruleFromWire } from '../../src/core/threshold/rule-wire.ts';
import { parseThreshold, thresholdText } from '../../src/core/threshold/threshold.ts';

const page = readFileSync(new URL('../../docs/RULES.md', import.meta.url), 'utf8');

/** Of the requests to a route, as curl sends them. */
const bodiesFor = (route: string) =>
  [...page.matchAll(new RegExp(`/be/api/v1/${route} .*\\n *-d '(.*)'`, 'g'))].map(
    ([, body = '']) => JSON.parse(body) as Record<string, unknown>,
  );

describe('docs/RULES.md', () => {
  it('has forms that are read, each kind of them', () => {
    const forms = [...page.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(.*?)`/g)].map(([, text = '']) => text),
    );
    const kinds = forms.map((text) => parseThreshold(text).kind);
    expect(new Set(kinds)).toEqual(new Set(['gwei', 'usd', 'percentile', 'belowMedian', 'share']));
  });

  it('has bodies for curl that v1 takes, of the rules that are written beside them', () => {
    const bodies = bodiesFor('alerts');
    const rules = bodies.map((body) => {
      const checked = checkAlert(body, ANY_SERVICE);
      if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
      return thresholdText(ruleFromWire(ThresholdWire.parse(checked.value.threshold)));
    });
    expect(rules).toEqual(['$0.40/swap', '-25%/7d', '2% of $35/swap']);
    for (const rule of rules) expect(page).toContain(`--below ${rule.includes('$') ? `'${rule}'` : rule}`);
  });

  it('limits auto-txs by costs that the command line and v1 take', () => {
    const costs = [...page.matchAll(/--max-cost '?([^\s`']+)/g)].map(([, cost = '']) => parseMaxCost(cost));
    expect(costs).toContainEqual({ maxCostUsd: 3 });
    expect(costs).toContainEqual({ maxShareOfValueRatio: 0.02 });
    const [body] = bodiesFor('auto-txs');
    expect(checkAutoTx(body, 0)).toMatchObject({ ok: true, value: { threshold: costs[0] } });
  });

  it('has the table that was measured', async () => {
    const scores = await readScores();
    expect(new Set(scores.map(({ file }) => file)).size).toBe(4);
    expect(withTable(page, scores)).toBe(page);
  });

  it('counts the stretch in the project as a fresh walk does', async () => {
    const fresh = await scoresOf(fileURLToPath(FIXTURE));
    expect((await readScores()).filter(({ file }) => file === fresh[0]?.file)).toEqual(fresh);
  });
});
