import * as z from 'zod';
import { checkTargets, type FieldProblem, type TargetFields, type TargetRules } from './alert-targets.ts';
import { AlertCreation } from './alerts.ts';
import { ALERT_CHANNELS, type AlertChannel } from './choices.ts';
import { type Checked, fieldProblems, givenField } from './field-problems.ts';

/** Checks the body of `POST /alerts` as a whole: everything that is wrong with it at once, field by field. */
export function checkAlert(body: unknown, rules: TargetRules): Checked<AlertCreation> {
  const parsed = AlertCreation.safeParse(body);
  const passedOver = hiddenTargets(body);
  if (!parsed.success) {
    const own = [...fieldProblems(parsed.error, body), ...passedOver];
    const further = checkTargets(soundFields(body), rules).filter((problem) => isNews(problem, own));
    return { ok: false, problems: [...own, ...further] };
  }
  const problems = [...passedOver, ...checkTargets(parsed.data, rules)];
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: parsed.data };
}

/** A name that zod takes out of records before anything sees it. */
function hiddenTargets(body: unknown): FieldProblem[] {
  const targets = typeof body === 'object' && body !== null ? Reflect.get(body, 'targets') : undefined;
  if (typeof targets !== 'object' || targets === null || !Object.hasOwn(targets, '__proto__')) return [];
  return [{ path: 'targets.__proto__', message: `must be one of ${ALERT_CHANNELS.join(', ')}` }];
}

/** Whether a problem between fields is one of its own, and not only because one of them is wrong. */
function isNews({ path }: FieldProblem, own: readonly FieldProblem[]): boolean {
  const wrong = own.map((each) => each.path);
  const isEntry = path.startsWith('targets.');
  // Which channel `to` belongs to is known once the method is right.
  if ((isEntry || path === 'to') && wrong.includes('method')) return false;
  return !wrong.includes(path) && !(isEntry && wrong.includes('targets'));
}

/** The fields that are right by themselves, so that what is wrong between them is said with the rest. */
function soundFields(body: unknown): TargetFields {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return {};
  const { method, to, condition, thresholdGwei, hysteresisGwei } = AlertCreation.shape;
  const sound = <Field extends z.ZodType>(name: string, field: Field): z.output<Field> | undefined =>
    field.safeParse(givenField(body, name)).data;
  return {
    method: sound('method', method),
    to: sound('to', to),
    targets: soundTargets(givenField(body, 'targets')),
    condition: sound('condition', condition),
    thresholdGwei: sound('thresholdGwei', thresholdGwei),
    hysteresisGwei: sound('hysteresisGwei', hysteresisGwei),
    channels: sound('channels', z.array(z.string()).min(1)),
  };
}

/** One target that is wrong hides nothing about the others. */
function soundTargets(targets: unknown): Partial<Record<AlertChannel, string>> {
  if (typeof targets !== 'object' || targets === null) return {};
  return Object.fromEntries(
    ALERT_CHANNELS.flatMap((channel) => {
      const target = AlertCreation.shape.to.safeParse(givenField(targets, channel)).data;
      return target === undefined ? [] : [[channel, target]];
    }),
  );
}
