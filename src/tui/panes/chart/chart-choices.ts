import { offeredValues, type ServiceDescription } from '../../../client/openapi.ts';
import { PERCENTILES, TIME_FRAMES } from '../../../contract/choices.ts';
import { PATHS } from '../../../contract/routes.ts';
import { longestTimeFrame } from '../../ui/time.ts';

/** What the Chart's keys walk through, in the order of the service, each at least one. */
export interface ChartChoices {
  readonly timeFrames: readonly string[];
  readonly percentiles: readonly string[];
}

/** The service's own words where it names them, also such as the contract does not know; else the contract's. */
export function chartChoices(description: ServiceDescription | null | undefined): ChartChoices {
  const percentiles = offeredValues(description, PATHS.priorityFee, 'percentile') ?? PERCENTILES;
  const useful = percentiles.filter(isUseful);
  return {
    timeFrames: offeredValues(description, PATHS.statsChart, 'timeFrame') ?? TIME_FRAMES,
    percentiles: useful.length === 0 ? percentiles : useful,
  };
}

/** The tips that get a transaction in, not the ones that nearly do. */
function isUseful(percentile: string): boolean {
  const number = /^p?(\d{1,2}(?:\.\d+)?)$/i.exec(percentile)?.[1];
  return number === undefined || Number(number) >= 50;
}

/** What the hours of the week are compared over: a month, or as much as the service has. */
export function hoursTimeFrame(description: ServiceDescription | null | undefined): string {
  const offered = offeredValues(description, PATHS.statsMarket, 'timeFrame') ?? TIME_FRAMES;
  return offered.includes('30d') ? '30d' : (longestTimeFrame(offered) ?? offered[0] ?? '30d');
}

/** The value after the one that {@link offeredChoice} makes of `current`. */
export function choiceAfter(offered: readonly string[], current: string): string {
  const place = offered.indexOf(offeredChoice(offered, current));
  return offered[(place + 1) % offered.length] ?? current;
}

/** `wanted` if it is offered, else the first that is. */
export function offeredChoice(offered: readonly string[], wanted: string): string {
  return offered.includes(wanted) ? wanted : (offered[0] ?? wanted);
}
