import type { ServiceFinding } from '../../client/doctor.ts';
import type { Step, TlsFinding } from '../../client/probe/connection.ts';
import { chainProfile } from '../../core/chains.ts';
import { formatAge, formatCount, formatDuration } from '../../core/units.ts';
import { cleanLine } from '../clean-line.ts';
import { labelledLines } from '../labelled-lines.ts';
import type { Paint } from '../paint.ts';
import { utcTime } from '../utc-time.ts';
import { wrapWords } from '../wrap-words.ts';

/** Beside a label. */
const VALUE_WIDTH = 66;

/** The first group of the doctor's report: the way to the service, and what holds for all its answers. */
export function connectionLines(finding: ServiceFinding, now: number, paint: Paint): string[] {
  const { connection, routes } = finding;
  // Of a service that gave no answer at all there is nothing to be said but the way to it.
  const answered = routes.some(({ status }) => status !== null);
  const gaveUp = routes.some(({ outcome }) => outcome === 'not-asked');
  const rows: [string, string | null][] = [
    ['dns', connection?.dns ? stepWords(connection.dns, ({ addresses }) => addresses.join(', ')) : null],
    ['tcp', connection?.tcp ? stepWords(connection.tcp, ({ address }) => address) : null],
    ['tls', tlsWords(finding)],
    ['certificate', certificateWords(finding, now)],
    ['source', sourceWords(finding)],
    ['head', headWords(finding)],
    ['clock', answered ? clockWords(finding) : null],
    ['etag', finding.snapshot === null ? null : ETAG_WORDS[finding.etag]],
    ['packing', answered ? packingWords(finding) : null],
    ['limits', limitWords(finding)],
    ['description', gaveUp ? null : descriptionWords(finding)],
  ];
  const wrapped = rows.map(
    ([label, value]) => [label, value === null ? null : wrapWords(value, VALUE_WIDTH).join('\n')] as const,
  );
  return [paint.title('connection'), ...labelledLines(wrapped)];
}

function stepWords<Found>(step: Step<Found>, words: (found: Found) => string): string {
  return step.ok ? `${words(step)}  ${step.ms.toFixed(0)} ms` : cleanLine(step.message);
}

function tlsWords({ connection }: ServiceFinding): string | null {
  if (connection === null) return null;
  if (!connection.encrypted) return 'not encrypted: plain http';
  return connection.tls === null ? null : stepWords(connection.tls, ({ protocol }) => protocol);
}

function certificateWords({ connection }: ServiceFinding, now: number): string | null {
  const tls = connection?.tls;
  if (!tls?.ok) return null;
  const trust = tls.trusted ? 'trusted' : `not trusted: ${tls.reason}`;
  return `${tls.subject}, issued by ${tls.issuer}, ${validWords(tls, now)}, ${trust}`;
}

function validWords({ validUntil }: TlsFinding, now: number): string {
  if (validUntil === null) return 'valid for a time that it does not say';
  const leftSec = (validUntil - now) / 1_000;
  const days = Math.floor(leftSec / 86_400);
  const left = days > 1 ? `${formatCount(days)} days left` : `${formatDuration(leftSec)} left`;
  const distance = leftSec > 0 ? left : formatAge(-leftSec);
  return `valid until ${utcTime(validUntil, 'minutes')} UTC (${distance})`;
}

function sourceWords({ snapshot }: ServiceFinding): string | null {
  if (snapshot === null) return null;
  const badge = { replay: '[REPLAY]', simulated: '[SIMULATED]', rpc: null, service: null }[
    snapshot.sourceKind
  ];
  const chain = snapshot.chainId === null ? 'a chain it does not name' : chainProfile(snapshot.chainId).name;
  return [badge, chain, cleanLine(snapshot.source)].filter((part) => part !== null).join('  ');
}

function headWords({ snapshot, headAgeSec }: ServiceFinding): string | null {
  if (snapshot === null) return null;
  const parts = [
    snapshot.blockNumber === null ? null : `#${formatCount(snapshot.blockNumber)}`,
    headAgeSec === null ? null : formatAge(Math.max(headAgeSec, 0)),
    snapshot.stale ? 'stale' : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}

function clockWords({ clock, connection }: ServiceFinding): string | null {
  if (connection === null) return null;
  if (clock === null) return 'it says no time';
  const distance = Math.abs(clock.skewSec);
  if (distance <= clock.uncertaintySec) return `as ours, within ${clock.uncertaintySec.toFixed(1)} s`;
  const side = clock.skewSec > 0 ? 'ahead of' : 'behind';
  const words = distance < 60 ? `${distance.toFixed(1)} s` : formatDuration(distance);
  return `${words} ${side} ours, give or take ${clock.uncertaintySec.toFixed(1)} s`;
}

const ETAG_WORDS: Readonly<Record<ServiceFinding['etag'], string | null>> = {
  honoured: 'honoured: what has not changed is not sent again',
  ignored: 'sent, but not honoured: everything is sent each time',
  none: 'none',
  unknown: 'sent; the answer changed before it could be tried',
};

function packingWords({ encodings, connection }: ServiceFinding): string | null {
  if (connection === null) return null;
  const parts = Object.entries(encodings).map(
    ([encoding, count]) => `${encoding} on ${count === 1 ? '1 answer' : `${count} answers`}`,
  );
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function limitWords({ quota, rateLimitHeaders }: ServiceFinding): string | null {
  const headers = Object.entries(rateLimitHeaders).map(([name, value]) => `${name}: ${value}`);
  const { dailyLimit = null, remainingToday = null } = quota ?? {};
  const today =
    quota === null
      ? []
      : dailyLimit === null
        ? ['no daily limit']
        : [
            remainingToday === null
              ? `${formatCount(dailyLimit)} a day`
              : `${formatCount(remainingToday)} of ${formatCount(dailyLimit)} left today`,
          ];
  const parts = [...today, ...headers];
  return parts.length === 0 ? null : parts.join('; ');
}

function descriptionWords({ description }: ServiceFinding): string | null {
  if (description === null) return 'no OpenAPI document found';
  const name = [description.title, description.version].filter((part) => part !== null).join(' ');
  const routes = description.routes === 1 ? '1 route of v1' : `${description.routes} routes of v1`;
  return `OpenAPI${name === '' ? '' : `, ${name}`}: ${routes}`;
}
