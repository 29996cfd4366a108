{{/* Names and labels. A release called herald has objects called herald. */}}

{{- define "herald.name" -}}
{{- if contains "herald" .Release.Name -}}
{{- .Release.Name | trunc 48 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-herald" .Release.Name | trunc 48 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Cluster-scoped objects of two releases must not collide. */}}
{{- define "herald.clusterName" -}}
{{- printf "%s:%s" .Release.Namespace (include "herald.name" .) -}}
{{- end -}}

{{- define "herald.selector" -}}
app.kubernetes.io/name: herald
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "herald.labels" -}}
{{ include "herald.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "herald.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (include "herald.name" .) -}}
{{- end -}}

{{- define "herald.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{- printf "%s@%s" .repository .digest -}}
{{- else -}}
{{- printf "%s:%s" .repository (.tag | default $.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "herald.tlsSecretName" -}}
{{- if eq .Values.podListener.tls.mode "ExistingSecret" -}}
{{- .Values.podListener.tls.secretName -}}
{{- else -}}
{{- printf "%s-tls" (include "herald.name" .) -}}
{{- end -}}
{{- end -}}

{{- define "herald.exchangeSecretName" -}}
{{- .Values.exchange.secretName | default (printf "%s-exchange" (include "herald.name" .)) -}}
{{- end -}}

{{- define "herald.hasTls" -}}
{{- if ne .Values.podListener.tls.mode "Disabled" -}}yes{{- end -}}
{{- end -}}

{{- define "herald.leaseName" -}}
{{- dig "election" "leaseName" "herald" .Values.settings -}}
{{- end -}}

{{- define "herald.replicas" -}}
{{- if kindIs "invalid" .Values.replicas -}}
{{- ternary 1 2 (eq .Values.placement.profile "OneNode") -}}
{{- else -}}
{{- int .Values.replicas -}}
{{- end -}}
{{- end -}}
