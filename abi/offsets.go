package abi

// Where the fields of the blobs are, in bytes from the start of the head or the
// entry. The codecs and the tables of [Layouts] share them.
const (
	viewSize        = 0
	viewLayout      = 4
	viewFlags       = 6
	viewRequestID   = 8
	viewNow         = 16
	viewMethodID    = 24
	viewVersion     = 25
	viewAttempts    = 26
	viewGeneration  = 28
	viewMethod      = 32
	viewScheme      = 40
	viewHost        = 48
	viewPath        = 56
	viewQuery       = 64
	viewClient      = 72
	viewMapping     = 80
	viewSession     = 88
	viewHeaders     = 96
	viewOrigins     = 104
	viewResultOff   = 112
	viewResultCap   = 116
	viewBody        = 120
	viewTarget      = 128
	viewSite        = 136
	viewArgs        = 144
	viewCookies     = 152
	viewGranted     = 160
	viewPort        = 164
	viewStatus      = 166
	viewBodyLength  = 168
	viewUpstreamNS  = 176
	viewCluster     = 184
	viewApplication = 192
	viewOrigin      = 200
	viewHead        = 208
)

const (
	originHealth   = 0
	originState    = 1
	originInFlight = 2
	originCapacity = 4
	originMetric   = 6
	originFlags    = 7
	originEntry    = 8
)

const (
	fieldOff         = 0
	fieldNameLength  = 4
	fieldValueLength = 6
	fieldEntry       = 8
)

// A ref, which is also the entry of the table of arguments.
const (
	refOff    = 0
	refLength = 4
	refEntry  = 8
)

const (
	clusterSize       = 0
	clusterLayout     = 4
	clusterGeneration = 8
	clusterCount      = 12
	clusterEntriesOff = 16
	clusterEntrySize  = 20
	clusterCluster    = 24
	clusterCell       = 32
	clusterReserved   = 40
	clusterHead       = 48
)

const (
	memberName       = 0
	memberAddress    = 8
	memberHost       = 16
	memberZone       = 24
	memberCell       = 32
	memberEdition    = 40
	memberCluster    = 48
	memberLabels     = 56
	memberWeight     = 64
	memberHostWeight = 68
	memberCapacity   = 72
	memberFlags      = 76
	memberEntry      = 80
)

const (
	labelKey   = 0
	labelValue = 8
	labelEntry = 16
)

const (
	collectorSize           = 0
	collectorLayout         = 4
	collectorFlags          = 6
	collectorNow            = 8
	collectorPosition       = 16
	collectorWindow         = 20
	collectorAnswers        = 24
	collectorFailed         = 32
	collectorTimeouts       = 40
	collectorP50            = 48
	collectorP95            = 56
	collectorP99            = 64
	collectorInFlight       = 72
	collectorWaiting        = 76
	collectorFailedConnects = 80
	collectorName           = 88
	collectorAddress        = 96
	collectorSources        = 104
	collectorGeneration     = 112
	collectorMetric         = 116
	collectorCapacity       = 120
	collectorHealth         = 124
	collectorState          = 125
	collectorHead           = 128
)

const (
	sourceName  = 0
	sourceValue = 8
	sourceEntry = 16
)

const (
	tickSize   = 0
	tickLayout = 4
	tickFlags  = 6
	tickNow    = 8
	tickNumber = 16
	tickPeriod = 24
	tickHead   = 32
)

const (
	responseSize    = 0
	responseLayout  = 4
	responseFlags   = 6
	responseNow     = 8
	responseToken   = 16
	responseError   = 20
	responseStatus  = 24
	responseHeaders = 32
	responseBody    = 40
	responseHead    = 48
)

const (
	opCode        = 0
	opKeyLength   = 2
	opValueLength = 4
	opHead        = 8
)
