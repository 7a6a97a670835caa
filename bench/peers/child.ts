import { endWithParent } from '../support/end-with-parent.ts';
import { outcomesOf } from './consumers.ts';

/** Prints the outcomes of the consumer that the argument names. */
endWithParent();
process.stdout.write(JSON.stringify(await outcomesOf(process.argv[2]!)));
