/** Cases that fast-check makes are the same in each `npm test`; `npm run test:slow` makes others each time. */
import fc from 'fast-check';
import { isSlowRun } from './helpers/rounds.ts';

if (!isSlowRun) fc.configureGlobal({ seed: 20_261_123 });
