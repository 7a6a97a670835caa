import fc from 'fast-check';
import { inject } from 'vitest';

// Properties draw by the seed of the run, as the choice of planted bugs does.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: inject('seed') });
