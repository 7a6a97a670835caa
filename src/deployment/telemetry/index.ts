/** `edgeloom/telemetry`: spans and metrics through OpenTelemetry. It needs the package `@opentelemetry/api`. */

export type { ObservedWork, Telemetry, TelemetryOption } from '../../core/telemetry.ts';
export { type OpenTelemetryOptions, openTelemetry } from './open-telemetry.ts';
