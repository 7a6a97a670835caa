/** `edgeloom/telemetry`: spans and metrics through OpenTelemetry. Needs the package `@opentelemetry/api`. */

export type { ObservedWork, Telemetry, TelemetryOption } from '../../core/telemetry.ts';
export { type OpenTelemetryOptions, openTelemetry } from './open-telemetry.ts';
