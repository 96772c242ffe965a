{{- define "flatline.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "flatline.selector" -}}
app.kubernetes.io/name: flatline
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "flatline.labels" -}}
{{ include "flatline.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "flatline.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- /* MiB of V8's heap. Empty: Node's default, or what each worker gets from its supervisor. */ -}}
{{- define "flatline.heap" -}}
{{- $given := .Values.maxOldSpaceMiB -}}
{{- if or (kindIs "invalid" $given) (eq (toString $given) "") -}}
{{- if not .Values.workers }}512{{ end -}}
{{- else if ne (toString $given) "0" -}}
{{- $given -}}
{{- end -}}
{{- end }}

{{- /* What every pod of the chart has: user, rights, access to images, and where it may run. */ -}}
{{- define "flatline.podSettings" -}}
serviceAccountName: {{ include "flatline.name" . }}
automountServiceAccountToken: false
# A service called flatline would inject FLATLINE_… variables, which are refused.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* What the container of every such pod has. */ -}}
{{- define "flatline.containerSettings" -}}
image: {{ include "flatline.image" . | squote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- with .Values.secretEnvironment }}
envFrom:
  {{- range . }}
  - secretRef:
      name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{- /* Secrets as files: where a container has them, and what they are. */ -}}
{{- define "flatline.secretMounts" -}}
{{- range .Values.secretFiles }}
- name: secret-{{ . }}
  mountPath: /etc/flatline-secrets/{{ . }}
  readOnly: true
{{- end }}
{{- end }}

{{- define "flatline.secretVolumes" -}}
{{- range .Values.secretFiles }}
- name: secret-{{ . }}
  secret:
    secretName: {{ . }}
{{- end }}
{{- end }}

{{- define "flatline.scheme" -}}
{{ if .Values.http.tlsSecret }}HTTPS{{ else }}HTTP{{ end }}
{{- end }}

{{- /* As docs/CONFIGURATION.md has it where nothing is said. */ -}}
{{- define "flatline.ingestPort" -}}
{{ (.Values.config.ingest | default dict).port | default 7071 }}
{{- end }}

{{- /* Beyond loopback a port without TLS and callers is refused: said here already. */ -}}
{{- define "flatline.http" -}}
{{- $http := .Values.http -}}
{{- if and $http.tlsSecret $http.tlsTerminated }}{{ fail "http.tlsSecret: leave it out with http.tlsTerminated; TLS ends in one place" }}{{ end -}}
{{- if not (or $http.tlsSecret $http.tlsTerminated) }}{{ fail "http.tlsSecret: is missing; it names a secret with tls.crt and tls.key, or set http.tlsTerminated where a mesh encrypts between pods" }}{{ end -}}
{{- if not (or $http.tokens $http.oidc) }}{{ fail "http.tokens: are missing; flatline http token makes one with its hash, or set http.oidc" }}{{ end -}}
{{- $auth := dict "tokens" $http.tokens -}}
{{- if $http.oidc }}{{ $_ := set $auth "oidc" $http.oidc }}{{ end -}}
{{- if $http.groupTokenSecret }}{{ $_ := set $auth "group" (dict "file" "/etc/flatline-group/token") }}{{ end -}}
{{- $tls := "terminated" -}}
{{- if $http.tlsSecret -}}
{{- $tls = dict "cert" "/etc/flatline-tls/tls.crt" "key" (dict "file" "/etc/flatline-tls/tls.key") -}}
{{- if $http.tlsAuthorityKey }}{{ $_ := set $tls "ca" (printf "/etc/flatline-tls/%s" $http.tlsAuthorityKey) }}{{ end -}}
{{- end -}}
{{- dict "tls" $tls "auth" $auth | toJson -}}
{{- end }}

{{- define "flatline.config" -}}
{{- if not .Values.config.application }}{{ fail "config.application: a name is missing; it begins the names of topics and groups" }}{{ end -}}
{{- if not .Values.config.brokers }}{{ fail "config.brokers: at least one host:port is missing" }}{{ end -}}
{{- if not .Values.config.pipelines }}{{ fail "config.pipelines: at least one pipeline is missing" }}{{ end -}}
{{- range list "stateDir" "instance" "http" }}{{ if hasKey $.Values.config . }}{{ fail (printf "config.%s: is set by the chart; leave it out" .) }}{{ end }}{{ end -}}
{{- $config := deepCopy .Values.config -}}
{{- $_ := set $config "http" (include "flatline.http" . | fromJson) -}}
{{- if hasKey $config "ingest" -}}
{{- $ingest := $config.ingest | default dict -}}
{{- if hasKey $ingest "host" }}{{ fail "config.ingest.host: is set by the chart; leave it out" }}{{ end -}}
{{- if and $.Values.ingest.tokensSecret (hasKey $ingest "tokens") }}{{ fail "config.ingest.tokens: comes from ingest.tokensSecret; leave one of them out" }}{{ end -}}
{{- if not (or $.Values.ingest.tokensSecret (hasKey $ingest "tokens")) }}{{ fail "ingest.tokensSecret: is missing; it names the secret whose keys senders name as their tokens" }}{{ end -}}
{{- if hasKey $ingest "tls" }}{{ fail "config.ingest.tls: is set by the chart, from ingest.tlsSecret; leave it out" }}{{ end -}}
{{- if not (or $.Values.ingest.tlsSecret $.Values.ingest.tlsTerminated) }}{{ fail "ingest.tlsSecret: is missing; it names the secret with the certificate of the port, or ingest.tlsTerminated says that an ingress ends TLS before it" }}{{ end -}}
{{- if and $.Values.ingest.tlsSecret $.Values.ingest.tlsTerminated }}{{ fail "ingest.tlsTerminated: TLS ends in the pods, with ingest.tlsSecret; leave one of them out" }}{{ end -}}
{{- $_ := set $ingest "host" "0.0.0.0" -}}
{{- $_ := set $ingest "tls" "terminated" -}}
{{- if $.Values.ingest.tlsSecret -}}
{{- $_ := set $ingest "tls" (dict "cert" "/etc/flatline-ingest-tls/tls.crt" "key" (dict "file" "/etc/flatline-ingest-tls/tls.key")) -}}
{{- end -}}
{{- $_ := set $config "ingest" $ingest -}}
{{- if $.Values.ingest.tokensSecret -}}
{{- $tokens := list -}}
{{- range $.Values.ingest.tokenKeys }}{{ $tokens = append $tokens (dict "file" (printf "/etc/flatline-ingest/%s" .)) }}{{ end -}}
{{- $_ := set $ingest "tokens" $tokens -}}
{{- end -}}
{{- end -}}
{{- toPrettyJson $config }}
{{- end }}
