import * as z from 'zod';
import { checkTargets, type FieldProblem, type TargetFields, type TargetRules } from './alert-targets.ts';
import { AlertCreation } from './alerts.ts';
import { fieldProblems } from './field-problems.ts';

export type CheckedAlert =
  | { readonly ok: true; readonly alert: AlertCreation }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

/** Checks the body of `POST /alerts` as a whole: everything that is wrong with it at once, field by field. */
export function checkAlert(body: unknown, rules: TargetRules): CheckedAlert {
  const parsed = AlertCreation.safeParse(body);
  if (!parsed.success) {
    const own = fieldProblems(parsed.error, body);
    const further = checkTargets(soundFields(body), rules).filter((problem) => isNews(problem, own));
    return { ok: false, problems: [...own, ...further] };
  }
  const problems = checkTargets(parsed.data, rules);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, alert: parsed.data };
}

/** Whether a problem between fields is one of its own, and not only because one of them is wrong. */
function isNews({ path }: FieldProblem, own: readonly FieldProblem[]): boolean {
  const [field] = path.split('.');
  const isWrong = (name: string) =>
    own.some((each) => each.path === name || each.path.startsWith(`${name}.`));
  // Without the method nobody knows whose target `to` is.
  if (field === 'to' || field === 'targets') return !isWrong(field) && !isWrong('method');
  return !isWrong(path);
}

/** The fields that are right by themselves, so that what is wrong between them is said with the rest. */
function soundFields(body: unknown): TargetFields {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return {};
  const { method, to, targets, condition, thresholdGwei, hysteresisGwei } = AlertCreation.shape;
  const sound = <Field extends z.ZodType>(name: string, field: Field): z.output<Field> | undefined =>
    field.safeParse(Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined).data;
  return {
    method: sound('method', method),
    to: sound('to', to),
    targets: sound('targets', targets),
    condition: sound('condition', condition),
    thresholdGwei: sound('thresholdGwei', thresholdGwei),
    hysteresisGwei: sound('hysteresisGwei', hysteresisGwei),
    channels: sound('channels', z.array(z.string()).min(1)),
  };
}
