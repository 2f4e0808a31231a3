import * as z from 'zod';
import { checkTargets, type FieldProblem, type TargetFields, type TargetRules } from './alert-targets.ts';
import { AlertCreation } from './alerts.ts';
import { ALERT_CHANNELS, type AlertChannel } from './choices.ts';
import { type Checked, fieldProblems, givenField } from './field-problems.ts';

/** Validates the body of `POST /alerts` as a whole: all problems at once, field by field. */
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

/** A name that zod removes from records before validation. */
function hiddenTargets(body: unknown): FieldProblem[] {
  const targets = typeof body === 'object' && body !== null ? Reflect.get(body, 'targets') : undefined;
  if (typeof targets !== 'object' || targets === null || !Object.hasOwn(targets, '__proto__')) return [];
  return [{ path: 'targets.__proto__', message: `must be one of ${ALERT_CHANNELS.join(', ')}` }];
}

/** Whether a problem between fields is independent, and not caused by an invalid field. */
function isNews({ path }: FieldProblem, own: readonly FieldProblem[]): boolean {
  const wrong = own.map((each) => each.path);
  const isEntry = path.startsWith('targets.');
  // The channel of `to` is known once the method is valid.
  if ((isEntry || path === 'to') && wrong.includes('method')) return false;
  return !wrong.includes(path) && !(isEntry && wrong.includes('targets'));
}

/** The valid fields, so that problems between them are reported with the others. */
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

/** One invalid target does not hide problems of the others. */
function soundTargets(targets: unknown): Partial<Record<AlertChannel, string>> {
  if (typeof targets !== 'object' || targets === null) return {};
  return Object.fromEntries(
    ALERT_CHANNELS.flatMap((channel) => {
      const target = AlertCreation.shape.to.safeParse(givenField(targets, channel)).data;
      return target === undefined ? [] : [[channel, target]];
    }),
  );
}
