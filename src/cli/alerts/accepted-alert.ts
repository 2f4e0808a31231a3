import * as z from 'zod';
import type { NewAlert } from '../../client/views/alerts.ts';
import { ANY_SERVICE, type FieldProblem } from '../../contract/alert-targets.ts';
import { AlertCreation } from '../../contract/alerts.ts';
import { checkAlert } from '../../contract/check-alert.ts';
import { fieldProblems } from '../../contract/field-problems.ts';
import { cleanLine } from '../clean-line.ts';
import { type CliError, usageError } from '../cli-error.ts';

/** How the user calls a field. */
type NameOf = (path: string) => string;

/** Checks a whole alert by the contract. @throws CliError (usage) with a line per problem. */
export function acceptedAlert(body: unknown, nameOf: NameOf): AlertCreation {
  const result = checkAlert(body, ANY_SERVICE);
  if (result.ok) return result.alert;
  throw refused(result.problems, nameOf);
}

/** What a service that others run may have words of its own for. */
const ForeignAlert = AlertCreation.extend({
  gasSpeed: z.string().min(1),
  condition: z.string().min(1),
  method: z.string().min(1).optional(),
  channels: z.array(z.string().min(1)).min(1),
  targets: z.record(z.string(), z.string()).optional(),
});

/**
 * Checks what no service can make anything of: missing fields, unknown ones, figures out of bounds. Its words and
 * targets are the service's to judge. @throws CliError (usage) with a line per problem.
 */
export function plausibleAlert(body: unknown, nameOf: NameOf): NewAlert {
  const parsed = ForeignAlert.safeParse(body);
  if (parsed.success) return parsed.data;
  throw refused(fieldProblems(parsed.error, body), nameOf);
}

function refused(problems: readonly FieldProblem[], nameOf: NameOf): CliError {
  return refusedAlert(problems.map(({ path, message }) => `${cleanLine(nameOf(path))} ${message}`));
}

/** All that is wrong with an alert, a line each. */
export function refusedAlert(lines: readonly string[]): CliError {
  const [only = ''] = lines;
  return lines.length === 1
    ? usageError(only)
    : usageError(`${lines.length} things are wrong with this alert`, lines);
}
