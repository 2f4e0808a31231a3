/**
 * Prometheus' text format 0.0.4, read strictly
 * (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).
 */
import { parser } from '@prometheus-io/lezer-promql';

const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped'] as const;

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: (typeof TYPES)[number];
  readonly samples: readonly Sample[];
}

const METRIC_NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = String.raw`([a-zA-Z_][a-zA-Z0-9_]*)[ \t]*=[ \t]*"((?:[^"\\\n]|\\["\\n])*)"`;
const COMMENT = new RegExp(String.raw`^#[ \t]+(HELP|TYPE)[ \t]+(${METRIC_NAME})[ \t]+(.*)$`);
const SAMPLE = new RegExp(
  String.raw`^(${METRIC_NAME})[ \t]*(?:\{((?:[ \t]*${LABEL}[ \t]*,?)*)[ \t]*\})?[ \t]+(\S+)(?:[ \t]+(-?\d+))?$`,
);
const HELP = /^(?:[^\\]|\\[\\n])*$/;
const NUMBER = /^[+-]?(?:Inf|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)$|^NaN$/i;

/** The families of a page in its order. @throws {Error} with the line that the format does not allow */
export function parsePrometheusText(page: string): Family[] {
  if (!page.endsWith('\n')) throw new Error('the last line does not end with a line feed');
  const families: Family[] = [];
  for (const line of page.slice(0, -1).split('\n')) {
    if (line === '') continue;
    const refuse = (why: string) => new Error(`${why}: ${line}`);
    if (line.startsWith('#')) {
      const [, kind, name = '', rest = ''] = COMMENT.exec(line) ?? [];
      if (kind === undefined) continue;
      if (kind === 'HELP') {
        if (!HELP.test(rest)) throw refuse('a help text has a wrong escape');
        if (families.some((family) => family.name === name)) throw refuse('a second group of one metric');
        families.push({ name, help: rest, type: 'untyped', samples: [] });
        continue;
      }
      const type = TYPES.find((each) => each === rest.trim());
      const family = families.pop();
      if (type === undefined) throw refuse('no such type');
      if (family?.name !== name || family.type !== 'untyped' || family.samples.length > 0) {
        throw refuse('a type has its place after its help, once, and before the samples');
      }
      families.push({ ...family, type });
      continue;
    }
    const [, name = '', labelText = '', , , valueText = ''] = SAMPLE.exec(line) ?? [];
    const family = families.at(-1);
    if (name === '') throw refuse('no sample');
    if (!NUMBER.test(valueText)) throw refuse('no number');
    if (family === undefined || !namesOf(family).includes(name)) throw refuse('a sample outside its group');
    const sample = { name, labels: labelsOf(labelText), value: numberOf(valueText) };
    const series = seriesOf(sample);
    if (family.samples.some((each) => seriesOf(each) === series)) throw refuse('a series twice');
    families[families.length - 1] = { ...family, samples: [...family.samples, sample] };
  }
  for (const family of families) {
    if (family.samples.length === 0) throw new Error(`${family.name} has no sample`);
    if (family.type === 'histogram') checkHistogram(family);
  }
  return families;
}

const namesOf = ({ name, type }: Family): readonly string[] =>
  type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name];

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(new RegExp(LABEL, 'g'))) {
    if (name in labels) throw new Error(`the label ${name} twice: ${text}`);
    labels[name] = value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  }
  return labels;
}

const numberOf = (text: string) => (/inf/i.test(text) ? (text.startsWith('-') ? -1 : 1) / 0 : Number(text));

const seriesOf = ({ name, labels }: Sample, ...without: readonly string[]) =>
  JSON.stringify([
    name,
    ...Object.entries(labels)
      .filter(([label]) => !without.includes(label))
      .sort(),
  ]);

/** Buckets ascend and count all below, the last is that of infinity, and says the count. */
function checkHistogram({ name, samples }: Family): void {
  const counts = new Map(
    samples
      .filter((sample) => sample.name === `${name}_count`)
      .map(({ labels, value }) => [JSON.stringify(labels), value]),
  );
  const buckets = Map.groupBy(
    samples.filter((sample) => sample.name === `${name}_bucket`),
    ({ labels: { le: _, ...labels } }) => JSON.stringify(labels),
  );
  if (buckets.size !== counts.size) throw new Error(`${name}: buckets or counts are missing`);
  for (const [labels, series] of buckets) {
    const bounds = series.map((sample) => numberOf(sample.labels.le ?? 'NaN'));
    const values = series.map(({ value }) => value);
    const ascends = (numbers: readonly number[]) =>
      numbers.every((each, at) => at === 0 || each >= (numbers[at - 1] ?? 0));
    const isWhole = bounds.at(-1) === Number.POSITIVE_INFINITY && values.at(-1) === counts.get(labels);
    if (!isWhole || !ascends(bounds) || !ascends(values)) throw new Error(`${name}${labels} is no histogram`);
  }
}

/** Where an expression breaks the grammar of PromQL. A variable of Grafana in a string is one of its characters. */
export function expressionProblems(expression: string): string[] {
  const problems: string[] = [];
  parser.parse(expression).iterate({
    enter: ({ type, from, to }) => {
      if (type.isError) problems.push(`at ${from}: ${expression.slice(from, to + 10)}`);
    },
  });
  return problems;
}
