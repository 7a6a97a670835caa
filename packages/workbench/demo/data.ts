import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import * as z from 'zod';
import { packageFile } from '../../../src/deployment/package/package-files.ts';

export interface Airport {
  iata: string;
  name: string;
  city: string;
  state: string;
  country: string;
  latitude: string;
  longitude: string;
}

export interface Route {
  origin: string;
  destination: string;
  count: number;
}

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

export async function loadDemoData(): Promise<DemoData> {
  return {
    airports: await readRows('airports.csv', airportSchema),
    routes: await readRows('flights-airport.csv', routeSchema),
  };
}

async function readRows<Row>(name: string, schema: z.ZodType<Row>): Promise<Row[]> {
  const records: unknown = parse(await readFile(packageFile(`assets/demo/${name}`)), {
    columns: true,
    skip_empty_lines: true,
    bom: true,
  });
  return z.array(schema).parse(records);
}
