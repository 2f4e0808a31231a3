import * as z from 'zod';
import { checkTargets, type FieldProblem, type TargetFields, type TargetRules } from './alert-targets.ts';
import { AlertCreation } from './alerts.ts';
import { ALERT_CHANNELS } from './choices.ts';
import { type Checked, checkBody, givenField } from './field-problems.ts';

/** Validates the body of `POST /alerts` as a whole: all problems at once, field by field. */
export const checkAlert = (body: unknown, rules: TargetRules): Checked<AlertCreation> =>
  checkBody(AlertCreation, body, (given) => [
    ...hiddenTargets(givenField(given, 'targets')),
    ...checkTargets(soundFields(given), rules),
  ]);

/** A name that zod removes from records before validation. */
function hiddenTargets(targets: unknown): FieldProblem[] {
  if (typeof targets !== 'object' || targets === null || !Object.hasOwn(targets, '__proto__')) return [];
  return [{ path: 'targets.__proto__', message: `must be one of ${ALERT_CHANNELS.join(', ')}` }];
}

/** The valid fields, so that problems between them are reported with the others. */
function soundFields(body: object): TargetFields {
  const { method, to, condition, thresholdGwei, hysteresisGwei } = AlertCreation.shape;
  const parse = <Field extends z.ZodType>(name: string, field: Field) =>
    field.safeParse(givenField(body, name));
  const [chosen, targets] = [parse('method', method), givenField(body, 'targets') ?? {}];
  const prices = {
    condition: parse('condition', condition).data,
    thresholdGwei: parse('thresholdGwei', thresholdGwei).data,
    hysteresisGwei: parse('hysteresisGwei', hysteresisGwei).data,
  };
  // Which target is wanted is known once the method is valid.
  if (!chosen.success || typeof targets !== 'object') return prices;
  return {
    ...prices,
    method: chosen.data,
    to: parse('to', to).data,
    // One invalid target does not hide problems of the others.
    targets: Object.fromEntries(Object.entries(targets).filter(([, target]) => to.safeParse(target).success)),
    channels: parse('channels', z.array(z.string()).min(1)).data,
  };
}
