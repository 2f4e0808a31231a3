import type { AlertSavingsView, SavingsEntryView } from '../views/alerts.ts';
import type { Answer } from './answer.ts';
import { Fields } from './fields.ts';

const MOST_ENTRIES = 500;

/** `GET /alerts/{id}/savings`. Required: how often it fired, or what that saved. */
export function readAlertSavings(answer: Answer): AlertSavingsView {
  const names = ['events', 'savedWei', 'saved', 'totalSavedWei', 'totalSaved', 'savedUsd', 'entries'];
  const fields = new Fields(answer, answer.record(names, 'savedWei'));
  const best = fields.child('best');
  return {
    events: fields.count('events', 'eventCount', 'triggerCount'),
    savedWei: fields.wei('savedWei', 'saved', 'totalSavedWei', 'totalSaved'),
    savedUsd: fields.amount('savedUsd', 'totalSavedUsd'),
    best: best === null ? null : readEntry(best),
    gasAmount: fields.count('gasAmount', 'gas'),
    entries: (fields.childrenIfAny('entries', 'history') ?? fields.children('events'))
      .slice(0, MOST_ENTRIES)
      .map(readEntry),
  };
}

function readEntry(fields: Fields): SavingsEntryView {
  return {
    triggeredAt: fields.time('triggeredAt', 'timestamp', 'time', 'at'),
    blockNumber: fields.count('blockNumber', 'block'),
    price: fields.fee('price', 'gasPrice'),
    referencePrice: fields.fee('referencePrice', 'reference', 'averagePrice'),
    savedWei: fields.wei('savedWei', 'saved'),
    savedUsd: fields.amount('savedUsd'),
  };
}
