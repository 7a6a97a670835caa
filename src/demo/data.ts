import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import * as z from 'zod';
import { EdgeloomError } from '../errors.ts';

/** A US airport. */
export interface Airport {
  iata: string;
  name: string;
  city: string;
  state: string;
  country: string;
  latitude: string;
  longitude: string;
}

/** A route with its flights in a year. */
export interface Route {
  origin: string;
  destination: string;
  count: number;
}

/** What the demo imports. */
export interface DemoData {
  airports: Airport[];
  routes: Route[];
}

const text = z.string();
const airportSchema = z.object({
  iata: text.min(1),
  name: text,
  city: text,
  state: text,
  country: text,
  latitude: text,
  longitude: text,
});
const routeSchema = z.object({ origin: text.min(1), destination: text.min(1), count: z.coerce.number().int() });

/** Reads the airports and routes of the npm package `vega-datasets`. */
export async function loadDemoData(): Promise<DemoData> {
  const folder = join(packageFolder(), 'data');
  return {
    airports: await rows(join(folder, 'airports.csv'), airportSchema),
    routes: await rows(join(folder, 'flights-airport.csv'), routeSchema),
  };
}

async function rows<Row>(file: string, schema: z.ZodType<Row>): Promise<Row[]> {
  const records: unknown = parse(await readFile(file), { columns: true, skip_empty_lines: true, bom: true });
  return z.array(schema).parse(records);
}

function packageFolder(): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve('vega-datasets')));
  } catch {
    throw new EdgeloomError(
      'no-demo-data',
      'The demo needs the npm package vega-datasets, which is not installed.',
      'Run it in a clone after npm ci, or install vega-datasets@3.2.1.',
    );
  }
}
