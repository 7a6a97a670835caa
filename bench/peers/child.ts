import { endWithParent } from '../support/end-with-parent.ts';
import { outcomesOf } from './consumers.ts';

/** Argument: the consumer's name. Prints its outcomes. */
endWithParent();
process.stdout.write(JSON.stringify(await outcomesOf(process.argv[2]!)));
