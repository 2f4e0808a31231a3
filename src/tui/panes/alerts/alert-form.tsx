import { useMemo } from 'react';
import { AlertPreviewer, alertRuleOf, previewWords } from '../../../client/alert-preview.ts';
import { type AlertChoices, alertChoices, describedRoute } from '../../../client/openapi.ts';
import {
  type AlertView,
  describeCondition,
  describeReach,
  distanceToThreshold,
  type NewAlert,
  weiOfTypedGwei,
} from '../../../client/views/alerts.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { PATHS } from '../../../contract/routes.ts';
import { useElapsed, useNow } from '../../app/clock.ts';
import { useToast } from '../../chrome/toast.tsx';
import { useSaveAlert } from '../../data/mutations.ts';
import { useDescription, useMonitor, usePolledQuery, useReach } from '../../data/queries.ts';
import { fieldLines, formOf } from '../../input/form.ts';
import { ResourceForm, useFormState, visibleLines } from '../../resource/resource-form.tsx';
import type { FormProps } from '../../resource/types.ts';
import { presentOf } from '../../ui/pane-context.ts';
import { type Line, wrapText } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import { systemOffset } from '../../ui/time.ts';
import { untilText } from './alert-columns.ts';
import { type AlertDraft, alertFields, alertProblems, bodyOf, fieldOfPath } from './alert-fields.ts';

/** How the form begins: a new alert, one like another, or a change of one. */
export type AlertSeed = { readonly draft: AlertDraft } & (
  | { readonly kind: 'new' }
  | { readonly kind: 'copy' | 'change'; readonly alert: AlertView }
);

/** What the service offers for alerts. */
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

/** A new alert begins with a channel that the service offers; others keep those that they had. */
function offeredDraft({ kind, draft }: AlertSeed, offered: AlertChoices): AlertDraft {
  const isOffered = draft.channels.some((channel) => offered.channels.includes(channel));
  return kind !== 'new' || isOffered ? draft : { ...draft, channels: offered.channels.slice(0, 1) };
}

const WORDS = {
  new: { did: 'made', leave: 'Leave without making the alert?' },
  copy: { did: 'made', leave: 'Leave without making the alert?' },
  change: { did: 'changed', leave: 'Leave without changing the alert?' },
} as const;

function titleOf(seed: AlertSeed): string {
  if (seed.kind === 'new') return 'New alert';
  return `${seed.kind === 'copy' ? 'New alert like' : 'Change'} ${describeCondition(seed.alert)}`;
}

/** The form of an alert, with what it would have done in the last day and how likely its price comes. */
export function AlertForm({ snapshot, columns, rows, seed, onLeave, onSaved }: FormProps<AlertSeed>) {
  const save = useSaveAlert();
  const theme = useTheme();
  const toast = useToast();
  const { choices: offered } = useAlertOffer();
  const isChange = seed.kind === 'change';
  const words = WORDS[seed.kind];
  const { form, edit, close } = useFormState('alert-form', () => {
    const text = seed.draft.threshold;
    // A note is the user's own words, also in a copy: typing there goes on instead of starting anew.
    return formOf(offeredDraft(seed, offered), 'threshold', { text, isSuggested: true, dirty: ['note'] });
  });
  const { draft } = form;
  const body = bodyOf(draft);
  const problems = alertProblems(draft, body, offered);
  const fields = alertFields(draft, offered, snapshot);
  const { thresholdGwei } = body;
  const alert: NewAlert | null =
    problems.size === 0 && thresholdGwei !== undefined ? { ...body, thresholdGwei } : null;
  const condition = describeCondition({ ...draft, threshold: weiOfTypedGwei(draft.threshold) });
  const isDirty = JSON.stringify(draft) !== JSON.stringify(form.initial);
  const present = presentOf(snapshot, useNow());
  const preview = useAlertPreview(alert, (at) => untilText(at, present, systemOffset));
  const reach = useThresholdReach(draft, alert?.confirmBlocks ?? 1, snapshot);

  const faint = (words: string | null, most: number): readonly Line[] =>
    words === null
      ? []
      : wrapText(theme.text(words), columns - 2, most, theme.glyph.ellipsis).map((text) => [
          { text: ` ${text}`, faint: true },
        ]);
  return (
    <ResourceForm
      scope="alert-form"
      title={titleOf(seed)}
      columns={columns}
      rows={rows}
      form={form}
      edit={edit}
      fields={fields}
      problems={problems}
      did={words.did}
      send={async () => {
        if (alert === null) return;
        const { id, secret } = await save({ id: isChange ? seed.alert.id : null, alert });
        close();
        onSaved({ id, secret, isChange });
        toast({ kind: 'info', text: `${isChange ? 'Changed' : 'Made'}: ${condition}` });
      }}
      unchanged={isChange && !isDirty ? 'Nothing is changed yet' : null}
      fieldOfPath={(path) => fieldOfPath(path, body.method ?? '')}
      leave={{
        title: words.leave,
        lines: [condition, 'What was typed is lost.'],
        yes: 'Leave',
        no: 'Go on typing',
      }}
      isDirty={isDirty}
      onLeave={() => {
        close();
        onLeave();
      }}
      body={(said, room) => {
        const below = [...faint(reach, REACH_LINES), ...faint(preview, PREVIEW_LINES)];
        const blocks = fields.map((field) => fieldLines(field, form, said(field.id), columns, theme));
        const focus = fields.findIndex(({ id }) => id === form.focus);
        // The preview comes and goes while one types: its lines are kept free.
        const kept = faint(reach, REACH_LINES).length + PREVIEW_LINES;
        return [...visibleLines(blocks, focus, Math.max(room - kept, 1)), ...below];
      }}
      spoken={[reach, preview].filter((words) => words !== null)}
    />
  );
}

/** An alert that is still being typed is not previewed. */
const SETTLED_MS = 250;

/**
 * What the alert would have done in the last 24 hours, in words; `null` when there is nothing to say (yet).
 *
 * @param alert `null` when it cannot be sent as it is
 * @param timeText writes a time, ms since epoch
 */
function useAlertPreview(alert: NewAlert | null, timeText: (ms: number) => string): string | null {
  const { client, now, isOwnService = false } = useMonitor();
  const previewer = useMemo(
    () => new AlertPreviewer(client, { thorough: isOwnService, now }),
    [client, isOwnService, now],
  );
  const rule = alert === null ? null : alertRuleOf(alert);
  const key =
    rule === null
      ? null
      : JSON.stringify(rule, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
  const isSettled = useElapsed(SETTLED_MS, key);
  const { data, error } = usePolledQuery({
    key: ['alert-preview', key],
    enabled: rule !== null && isSettled,
    ask: async (signal) => {
      if (rule === null) throw new Error('there is nothing to preview');
      return previewer.preview(rule, { signal });
    },
    everyMs: null,
    freshMs: 60_000,
  });
  if (rule === null) return null;
  if (data !== undefined) return previewWords(data, timeText);
  return error === null
    ? 'looking at the last 24 h …'
    : `cannot be previewed: ${error.message.replaceAll('\n', ' ')}`;
}

const HOUR_SEC = 3_600;
const DAY_SEC = 86_400;

/**
 * How likely the lane's price falls to the threshold, in words; `null` when there is no threshold yet, or the service
 * does not say.
 */
function useThresholdReach(draft: AlertDraft, blocks: number, snapshot: SnapshotView): string | null {
  const { isOwnService = false } = useMonitor();
  const threshold = weiOfTypedGwei(draft.threshold);
  const distance = threshold === 0n ? null : distanceToThreshold({ ...draft, threshold }, snapshot);
  const isFall = draft.condition === 'LESS_THAN';
  const price = distance === null || distance.isThere || !isFall ? null : threshold;
  // Each request to a service elsewhere costs quota.
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
