import type { Plugin } from 'esbuild';

/** Plugins of esbuild that leave out of a function's bundle what it does not use of some packages, and split off what is needed seldom. */
declare const plugins: Plugin[];
export = plugins;
