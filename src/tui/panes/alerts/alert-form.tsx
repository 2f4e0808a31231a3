import { useMemo } from 'react';
import { AlertPreviewer, alertRuleOf, previewWords } from '../../../client/alert-preview.ts';
import { type AlertChoices, alertChoices, describedRoute } from '../../../client/openapi.ts';
import {
  type AlertView,
  describeCondition,
  describeReach,
  distanceToThreshold,
  type NewAlert,
} from '../../../client/views/alerts.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { PATHS } from '../../../contract/routes.ts';
import { useElapsed } from '../../app/clock.ts';
import { useDescription, useMonitor, useMonitorQuery, useReach } from '../../data/queries.ts';
import { formOf } from '../../input/form.ts';
import type { FormProps } from '../../resource/resource.ts';
import { ResourceForm, useFormState } from '../../resource/resource-form.tsx';
import { wrappedLines } from '../../ui/fact-list.tsx';
import { usePane } from '../../ui/pane-context.tsx';
import { filledTo } from '../../ui/text.tsx';
import { untilText } from '../../ui/time.ts';
import {
  type AlertDraft,
  alertFields,
  alertProblems,
  bodyOf,
  channelsOf,
  fieldOfPath,
  watchedBy,
} from './alert-draft.ts';

/** `like`: an alert to copy, or to change. */
export interface AlertSeed {
  readonly draft: AlertDraft;
  readonly like?: AlertView;
  readonly isChange?: boolean;
}

export function useAlertOffer(): { readonly choices: AlertChoices; readonly canChange: boolean } {
  const { isOwnService = false } = useMonitor();
  const description = useDescription();
  return {
    choices: alertChoices(description, isOwnService),
    canChange: isOwnService || describedRoute(description, PATHS.alert, 'put') !== null,
  };
}

const PREVIEW_LINES = 2;
const REACH_LINES = 2;

export function AlertForm({ seed, ...props }: FormProps<AlertSeed>) {
  const { snapshot, present, width } = usePane();
  const { client } = useMonitor();
  const { choices: offered } = useAlertOffer();
  const { like, isChange = false } = seed;
  // A new alert starts with a channel that the service offers; others keep theirs.
  const isOffered = channelsOf(seed.draft).some((channel) => offered.channels.includes(channel));
  const channels = like || isOffered ? seed.draft.channels : (offered.channels[0] ?? '');
  const state = useFormState('alert-form', () =>
    // A note is the user's own text, also in a copy: typing continues it.
    formOf<AlertDraft>({ ...seed.draft, channels }, 'thresholdGwei', ['note']),
  );
  const { form } = state;
  const { draft } = form;
  const body = bodyOf(draft);
  const problems = alertProblems(draft, body);
  const fields = alertFields(draft, offered, snapshot);
  const { thresholdGwei } = body;
  const alert = problems.size > 0 || thresholdGwei === undefined ? null : { ...body, thresholdGwei };
  const condition = describeCondition(watchedBy(draft));
  const preview = useAlertPreview(alert, (at) => untilText(at, present));
  const reach = useThresholdReach(draft, alert?.confirmBlocks ?? 1, snapshot);
  const faint = (words: string | null, most: number) =>
    wrappedLines(words, width, { most, look: { faint: true } });
  const title = isChange ? 'Change ' : 'New alert';
  const named = like === undefined ? '' : `${isChange ? '' : ' like '}${describeCondition(like)}`;
  return (
    <ResourceForm
      {...{ ...props, ...state, fields, problems, isChange }}
      resource="alert"
      title={`${title}${named}`}
      isDirty={JSON.stringify(draft) !== JSON.stringify(form.initial)}
      verb={{ done: 'made', doing: 'making' }}
      save={async () => {
        if (alert === null) throw new Error('the alert is not complete');
        const saved = isChange && like ? client.updateAlert(like.id, alert) : client.createAlert(alert);
        const { id = like?.id ?? '', signingSecret: secret = null } = (await saved) ?? {};
        return { id, secret };
      }}
      saved={condition}
      fieldOfPath={(path) => fieldOfPath(path, body.method)}
      leave={{ what: 'the alert', lines: [condition, 'What was typed is lost.'], no: 'Go on typing' }}
      // The preview comes and goes while typing: its lines stay reserved.
      below={[...faint(reach, REACH_LINES), ...filledTo(faint(preview, PREVIEW_LINES), PREVIEW_LINES)]}
      spoken={[reach, preview].filter((words) => words !== null)}
    />
  );
}

/** No preview while typing. */
const SETTLED_MS = 250;

function useAlertPreview(alert: NewAlert | null, timeText: (ms: number) => string): string | null {
  const { client, now, isOwnService = false } = useMonitor();
  const previewer = useMemo(
    () => new AlertPreviewer(client, { thorough: isOwnService, now }),
    [client, isOwnService, now],
  );
  const rule = alert && alertRuleOf(alert);
  const key = JSON.stringify(rule, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
  const isSettled = useElapsed(SETTLED_MS, key);
  const { data, error } = useMonitorQuery({
    key: ['alert-preview', key],
    enabled: rule !== null && isSettled,
    ask: async (_, signal) => rule && previewer.preview(rule, { signal }),
    freshMs: 60_000,
  });
  if (rule === null) return null;
  if (data) return previewWords(data, timeText);
  return error === null
    ? 'looking at the last 24 h …'
    : `cannot be previewed: ${error.message.replaceAll('\n', ' ')}`;
}

const HOUR_SEC = 3_600;
const DAY_SEC = 86_400;

function useThresholdReach(draft: AlertDraft, blocks: number, snapshot: SnapshotView): string | null {
  const { isOwnService = false } = useMonitor();
  const watched = watchedBy(draft);
  const { condition, threshold } = watched;
  const distance = threshold === 0n ? null : distanceToThreshold(watched, snapshot);
  const price = distance === null || distance.isThere || condition !== 'LESS_THAN' ? null : threshold;
  // Each request to a remote service uses quota.
  const hour = useReach(isOwnService ? price : null, HOUR_SEC, snapshot);
  const day = useReach(price, DAY_SEC, snapshot);
  if (distance?.isThere) {
    return `reached now: it fires ${blocks === 1 ? 'with the next block' : `once that holds for ${blocks} blocks`}`;
  }
  if (price === null) return distance === null ? null : 'how likely the price rises so far is not forecast';
  if (day.data === undefined && day.error === null) return 'how likely it is reached: looking …';
  return describeReach([
    { withinSec: HOUR_SEC, reach: hour.data ?? null },
    { withinSec: DAY_SEC, reach: day.data ?? null },
  ]);
}
