import type * as z from 'zod';
import { cleanText } from '../../core/clean-text.ts';
import { ClientError } from '../errors.ts';
import { Answer } from '../reading/answer.ts';
import { isRecord } from '../reading/json.ts';
import { ReadingTrace } from '../reading/reading-trace.ts';
import { compareFields, type FieldComparison } from './compare-fields.ts';

const MOST_DIFFERENCES = 10;

/**
 * `contract`: wei, because the answer follows the contract. `named`: the names or values say what they count.
 * `wei`, `gwei`, `mixed`: guessed by size.
 */
export type PriceUnits = 'contract' | 'named' | 'wei' | 'gwei' | 'mixed';

/** How one answer was understood. Paths are the contract's, such as `lanes.slow.price` or `data[].timestamp`. */
export interface AnswerReading extends FieldComparison {
  /** `letter`: as our contract says; `extended`: and more than that; `tolerant`: read by its likeness. */
  readonly match: 'letter' | 'extended' | 'tolerant';
  /** Where it departs from the contract, the first few. */
  readonly differences: readonly string[];
  /** What it was wrapped in, outermost first. */
  readonly envelopes: readonly string[];
  readonly prices: PriceUnits;
  /** Fees whose unit was guessed, where the guesses differ. */
  readonly guessed: { readonly wei: readonly string[]; readonly gwei: readonly string[] };
  /** What makes it unusable; `null`: all that must be there was found. */
  readonly problem: string | null;
}

export interface Judged<View> {
  /** `null`: it could not be read. */
  readonly view: View | null;
  /** `null`: it was no JSON, so there is nothing to be said of its fields. */
  readonly reading: AnswerReading | null;
  readonly problem: string | null;
}

/**
 * Reads an answer exactly as the client does and tells what was understood of it, measured by the contract.
 * `schema` is the contract's. Pure; nothing is thrown.
 */
export function judgeAnswer<View>(
  text: string,
  context: { readonly endpoint: string; readonly host: string; readonly schema: z.ZodType },
  read: (answer: Answer) => View,
): Judged<View> {
  const trace = new ReadingTrace();
  let answer: Answer;
  try {
    answer = new Answer(text, { ...context, trace });
  } catch (error) {
    return { view: null, reading: null, problem: wordsOf(error) };
  }
  let view: View | null = null;
  let problem: string | null = null;
  try {
    view = read(answer);
  } catch (error) {
    problem = wordsOf(error);
  }
  const parsed = context.schema.safeParse(answer.body);
  const issues = parsed.success ? [] : parsed.error.issues;
  const guessed = answer.exact ? { wei: [], gwei: [] } : trace.guessed;
  const reading: AnswerReading = {
    match: parsed.success ? 'letter' : answer.exact ? 'extended' : 'tolerant',
    differences: issues.slice(0, MOST_DIFFERENCES).map(differenceWords),
    envelopes: trace.envelopes.filter((key) => key !== '').map((key) => cleanText(key, 60)),
    prices: unitsOf(answer.exact, guessed),
    guessed,
    problem,
    ...compareFields(context.schema, isRecord(answer.body) ? answer.body : {}, trace),
  };
  return { view, reading, problem };
}

function unitsOf(
  exact: boolean,
  { wei, gwei }: { readonly wei: readonly string[]; readonly gwei: readonly string[] },
): PriceUnits {
  if (exact) return 'contract';
  if (wei.length > 0 && gwei.length > 0) return 'mixed';
  if (wei.length > 0) return 'wei';
  return gwei.length > 0 ? 'gwei' : 'named';
}

function differenceWords(issue: z.core.$ZodIssue): string {
  const path = issue.path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  const message = issue.message.replace(/^Invalid input: /, '');
  return cleanText(`${path.replace(/^\./, '') || 'answer'}: ${message}`, 200);
}

/** Only the client's own words are known to be clean. */
function wordsOf(error: unknown): string {
  return error instanceof ClientError ? error.message : 'it could not be read';
}
