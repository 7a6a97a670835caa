import { endWithParent } from '../support/end-with-parent.ts';
import { outcomesOf } from './consumers.ts';

/** The process of one consumer, which its argument names: prints its outcomes. */
endWithParent();
process.stdout.write(JSON.stringify(await outcomesOf(process.argv[2]!)));
