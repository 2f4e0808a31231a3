import type { GasClient, ReachQuery } from '../../client/client.ts';
import { ClientError } from '../../client/errors.ts';
import type { CreatedAlertView } from '../../client/views/alerts.ts';
import { ANY_SERVICE, type TargetRules } from '../../contract/alert-targets.ts';
import { channelsOf, targetRules } from '../../service/alerts/target-rules.ts';
import { type AlertFlags, alertOfFlags, refusedFlags, saysAnything } from '../alerts/alert-flags.ts';
import { alertOfInput } from '../alerts/alert-input.ts';
import { alertLikelihood } from '../alerts/alert-likelihood.ts';
import { channelWords, cooldownWords, watchWords } from '../alerts/alert-words.ts';
import { cleanLine } from '../clean-line.ts';
import { usageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { deliveryOf } from '../delivery-settings.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { OpenedAlerts } from '../open-alerts.ts';
import type { Settings } from '../settings.ts';
import { answers, type JsonFlags, withOpenAlerts } from './alerts.ts';

export type CreateAlertFlags = AlertFlags & JsonFlags;

/** `gastop alerts create`: by flags, or as JSON from a file or stdin. */
export async function createAlert(
  context: CommandContext,
  file: string | undefined,
  flags: CreateAlertFlags,
): Promise<ExitCode> {
  const { io } = context;
  const { settings } = await context.loadSettings();
  if (file !== undefined && saysAnything(flags)) {
    throw usageError('an alert comes from flags or from JSON, not from both; leave one away');
  }
  const alert =
    file === undefined
      ? alertOfFlags(flags, await rulesOf(settings))
      : await alertOfInput(io, file, settings.source.value.kind === 'hosted');
  const make = async ({ client, areOwn }: OpenedAlerts): Promise<ExitCode> => {
    const created = await client
      .createAlert(alert, { signal: io.interruption(), ...answers(context, flags) })
      .catch((error: unknown) => {
        const isOfFlags = file === undefined && error instanceof ClientError && error.code === 'invalid';
        throw (isOfFlags ? refusedFlags(error.details, flags) : null) ?? error;
      });
    if (flags.json) return EXIT.ok;
    io.stdout.write(`${cleanLine(created.id)}\n`);
    for (const line of createdLines(created, areOwn)) io.stderr.write(`gastop: ${line}\n`);
    // The alerts in the database here are opened without a chain, of which nothing could be said.
    const likelihood = areOwn ? null : await alertLikelihood(reachOf(client, io.interruption()), alert);
    if (likelihood !== null) io.stderr.write(`gastop: ${likelihood}\n`);
    return EXIT.ok;
  };
  return withOpenAlerts(io, settings, make, { mayMake: true });
}

/** What the database here can send is known before it is asked, so that all that is wrong is said at once. */
async function rulesOf({ source, ...settings }: Settings): Promise<TargetRules> {
  if (source.value.kind === 'hosted') return ANY_SERVICE;
  const { smtp = null, telegram = null, allowPrivateTargets = false } = deliveryOf(settings);
  return targetRules(channelsOf({ smtp, telegram }), { allowPrivateTargets });
}

const reachOf = (client: GasClient, signal: AbortSignal) => async (reach: ReachQuery) =>
  (await client.gasRecommendation({ reach, signal })).reach;

function createdLines(alert: CreatedAlertView, areOwn: boolean): string[] {
  const { signingSecret } = alert;
  return [
    `made ${cleanLine(alert.id)}: ${watchWords(alert)}, tells ${channelWords(alert)}, cooldown ${cooldownWords(alert)}`,
    ...(areOwn ? ['it fires while gastop or gastop serve runs on this database'] : []),
    ...(signingSecret === null
      ? []
      : [`webhooks are signed with ${cleanLine(signingSecret)}; it is said only when one is made`]),
  ];
}
