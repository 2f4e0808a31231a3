import { ROUTE_GROUPS } from '../contract/routes.ts';
import type { Plan } from '../service/keys/api-keys.ts';

/** `free: 50,000 requests a day, 20 a second` */
export function planText({ name, dailyLimit, perSecond, groups }: Plan): string {
  const day = dailyLimit === null ? 'any number of requests a day' : `${count(dailyLimit)} requests a day`;
  const second = perSecond === null ? 'any number a second' : `${count(perSecond)} a second`;
  const only = groups.length === ROUTE_GROUPS.length ? '' : `, only ${groups.join(', ')}`;
  return `${name}: ${day}, ${second}${only}`;
}

/** `50,000` */
export function count(value: number): string {
  return value.toLocaleString('en');
}
